import dns from 'node:dns'
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

t.test('a gateway on localhost has one server, which has all its limits', async (t) => {
  const { lookup } = dns
  const both = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]
  t.intercept(dns, 'lookup', {
    value(...[host, options, done]: [string, { all?: boolean }, (...args: unknown[]) => void]) {
      if (host === 'localhost' && options.all === true) done(null, both)
      else Reflect.apply(lookup, dns, [host, options, done])
    },
  })
  const { port } = await startBefore(t, { SVC_SERVER_HOST: 'localhost' })
  const answersAt = (host: string) =>
    fetch(`http://${host}:${port}/healthz`).then(
      ({ status }) => status,
      () => undefined,
    )
  t.equal(await answersAt('127.0.0.1'), 200)
  t.equal(await answersAt('[::1]'), undefined)
})
