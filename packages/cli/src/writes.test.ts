import t, { type Test } from 'tap'
import { runLine, serve } from './run.test.support.ts'

interface Answers {
  readonly items?: readonly object[]
  /** The last of them is repeated. */
  readonly propagations?: readonly (object | 403)[]
  readonly rollouts?: readonly object[]
}

const changed = { kind: 'FLAG_KIND', key: 'checkout', action: 'UPDATED_ACTION', managedBy: '' }
const settled = { gateways: 3, reached: 3, slowestMs: 41.2, settled: true }

/** Turns a flag on, at a service that answers so. */
async function turnOn(t: Test, answers: Answers, ...argv: readonly string[]) {
  const { items = [changed], propagations = [settled], rollouts = [] } = answers
  let asked = 0
  const { url, requests } = await serve(t, ({ path }) => {
    if (path.endsWith('/apply')) return { body: { revision: 42, items, unchanged: 0, plan: '' } }
    if (!path.includes('/propagation')) return { body: { flag: { rollouts } } }
    const propagation = propagations[Math.min(asked++, propagations.length - 1)]
    return propagation === 403 ? { status: 403 } : { body: propagation }
  })
  return { ...(await runLine(['flags', 'on', 'checkout', '--url', url, ...argv])), requests }
}

t.test('a write is told once it is live', async (t) => {
  const isOn = 'checkout is on in default · revision 42 · '
  const first = { gateways: 3, reached: 1, settled: false }
  const { code, stdout, stderr, requests } = await turnOn(t, { propagations: [first, settled] })
  t.match({ code, stderr }, { code: 0, stderr: '' })
  t.equal(stdout, `${isOn}live on 3/3, 41 ms\n`)
  t.strictSame(requests[0]?.body, {
    operations: [{ kind: 'FLAG_KIND', key: 'checkout', patch: { enabled: true } }],
  })
  t.match(requests[1]?.path, '/propagation?revision=42')

  const json = await turnOn(t, {}, '--json')
  t.strictSame(JSON.parse(json.stdout), {
    namespaceKey: 'default',
    key: 'checkout',
    revision: 42,
    changed: true,
    live: { gateways: 3, reached: 3, slowestMs: 41.2 },
  })
})

t.test('it is done in any case', async (t) => {
  const refused = await turnOn(t, { propagations: [403] })
  t.match(refused, { code: 0, stdout: 'checkout is on in default · revision 42\n' })
  const late = await turnOn(t, { propagations: [{ gateways: 3, reached: 2, settled: false }] })
  t.match(late, { code: 0, stdout: /live on 2\/3\n/, stderr: /`svc status` shows which/ })
})

t.test('what has to be known beside it is said', async (t) => {
  const same = await turnOn(t, { items: [] })
  t.match(same, { code: 0, stdout: 'checkout was on in default already\n', stderr: '' })
  const kept = await turnOn(t, { items: [{ ...changed, managedBy: 'git' }] })
  t.match(kept, { code: 0, stderr: /kept by "git", whose next sync takes this back/ })
  const ruled = await turnOn(t, { rollouts: [{}, {}] })
  t.match(ruled, { code: 0, stderr: /Its 2 rollouts come before this state/ })
  t.match(await turnOn(t, {}, '--quiet'), { code: 0, stdout: '', stderr: '' })
})

t.test('the comment goes with it', async (t) => {
  const { requests } = await turnOn(t, {}, '--comment', 'incident 311')
  t.equal(requests[0]?.headers['x-svc-comment'], 'incident%20311')
})
