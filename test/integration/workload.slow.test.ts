import t from 'tap'
import { runWorkloads } from '../support/workload-run.ts'

/** Seconds that a token is good for: as few as leave a client time for what it has to do. */
const seconds = 5

t.test('workloads whose tokens last for seconds', async (t) => {
  const run = await runWorkloads(t, { seconds, durationMs: 4 * seconds * 1000 })
  t.strictSame(run.failures, [])
  t.ok(run.evaluations > 500, `${run.evaluations} evaluations`)
  for (const { mode, proxy, kubelet } of run.clients) {
    t.equal(proxy.mostAtOnce, 1, `${mode}: no exchange beside another`)
    t.ok(proxy.exchanges.length >= 4, `${mode}: ${proxy.exchanges.length} exchanges`)
    const exchanged = proxy.exchanges.map(({ serviceAccountToken }) => serviceAccountToken)
    t.equal(new Set(exchanged).size, exchanged.length, `${mode}: each token once`)
    t.ok(exchanged.every((token) => kubelet.tokens.includes(token)))
    t.ok(proxy.exchanges.every(({ status }) => status === 200))
    t.strictSame(proxy.refusals, [], `${mode}: no request without a token that is good`)
  }
})
