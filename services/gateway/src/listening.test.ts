import { waitFor } from '@svc/runtime/testing'
import { pino } from 'pino'
import t from 'tap'
import { startBefore } from './gateway.test.support.ts'

t.test('a gateway logs once that it listens, and what happens after', async (t) => {
  const lines: Record<string, unknown>[] = []
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
  const { url, port } = await startBefore(t, { SVC_LOG_REQUESTS: 'true' }, log)
  await (await fetch(`${url}/healthz`)).text()
  await waitFor(() => lines.some(({ msg }) => msg === 'answered'))
  const listening = lines.filter(({ msg }) => /listening/i.test(String(msg)))
  t.match(listening, [{ msg: 'gateway is listening', host: '127.0.0.1', port }])
  t.equal(listening.length, 1)
  const answered = lines.find(({ msg }) => msg === 'answered')
  t.match(answered, { route: '/healthz', status: 200 })
})
