import t from 'tap'
import { runWorkloads } from '../support/workload-run.ts'

/** As short as no cluster makes tokens: 60 s, of which a kubelet writes a new one each 48 s. */
const seconds = 60
const minutes = Number(process.env.WORKLOAD_MINUTES ?? 30)
const durationMs = minutes * 60_000

/** Limit of the time in which a change is at a client, also while its token is renewed. */
const freshMs = 2000

t.test('workloads with tokens of a minute', { timeout: durationMs + 120_000 }, async (t) => {
  const run = await runWorkloads(t, { seconds, durationMs })
  t.strictSame(run.failures, [], `${run.evaluations} evaluations`)
  t.ok(run.evaluations > (durationMs / 1000) * 100)
  const slowestMs = Math.max(...run.changesMs)
  t.comment(`${run.changesMs.length} changes, the slowest after ${slowestMs.toFixed(0)} ms`)
  t.ok(slowestMs < freshMs)
  for (const { mode, proxy, kubelet } of run.clients) {
    const exchanged = proxy.exchanges.map(({ serviceAccountToken }) => serviceAccountToken)
    t.comment(`${mode}: ${exchanged.length} exchanges of ${kubelet.tokens.length} tokens`)
    t.equal(proxy.mostAtOnce, 1, `${mode}: no exchange beside another`)
    t.equal(new Set(exchanged).size, exchanged.length, `${mode}: one for each token`)
    t.ok(exchanged.length >= kubelet.tokens.length - 1)
    t.strictSame(proxy.refusals, [], `${mode}: no request without a token that is good`)
  }
})
