import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { generateLoad, tookOf } from '../../support/load.generator.ts'
import { describeMachine, pinClient, pinServer } from '../../support/machine.ts'
import { requestBytes } from '../../support/raw-http.ts'

/** As in `overload.test.ts`: how long, and of how many connections. */
const overloadMs = Number(process.env.OVERLOAD_SECONDS ?? 60) * 1000
const connections = 2000

/** About ten times as many reads of a flag as a gateway answers on one core. */
const perSecond = 6500

const program = fileURLToPath(new URL('overload-baseline.process.js', import.meta.url))

// What `overload.test.ts` measures has this in it. Nothing of it is compiled yet in the first load.
t.test('a server that does nothing but refuse', { timeout: 600_000 }, async (t) => {
  pinClient((line) => t.comment(line))
  const child = fork(program)
  t.teardown(async () => void child.kill('SIGKILL'))
  const [port] = (await once(child, 'message')) as [number]
  pinServer(child.pid ?? 0)
  t.comment(describeMachine())
  const requests = [
    requestBytes('/api/v1/namespaces/default/flags/on', '', {}, 'GET').toString('latin1'),
  ]
  for (const name of ['first', 'second', 'third']) {
    const load = { port, requests, perSecond, forMs: overloadMs, connections }
    const report = await generateLoad(t, { ...load, heedsRetryAfter: true })
    const { p50, p99, count } = tookOf(report, '503')
    t.comment(`${name} load: p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms of ${count}`)
    t.ok(count >= connections)
    t.equal(report.unanswered, 0)
  }
})
