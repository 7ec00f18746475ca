import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import t from 'tap'
import { startBefore } from './gateway.test.support.ts'

t.test('a gateway logs once that it listens, and what happens after', async (t) => {
  const stream = new PassThrough({ encoding: 'utf8' })
  const env = { SVC_LOG_REQUESTS: 'true' }
  const { url, port } = await startBefore(t, env, pino(stream))
  await (await fetch(`${url}/healthz`)).text()
  const entries = () =>
    lines
      .join('')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  const lines: string[] = []
  for (const deadline = Date.now() + 5000; Date.now() < deadline; ) {
    lines.push(stream.read() ?? '')
    if (entries().some(({ msg }) => msg === 'answered')) break
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const listening = entries().filter(({ msg }) => /listening/i.test(msg))
  t.match(listening, [{ msg: 'gateway is listening', host: '127.0.0.1', port }])
  t.equal(listening.length, 1)
  t.match(
    entries().find(({ msg }) => msg === 'answered'),
    { route: '/healthz', status: 200 },
  )
})
