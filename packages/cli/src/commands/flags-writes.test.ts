import t, { type Test } from 'tap'
import { runLine, type Sent, serve } from '../run.test.support.ts'

/** Sets members of a flag that has two variants, at a service where it is at the revision 5. */
async function set(t: Test, argv: readonly string[], stdin = '', isOvertaken = false) {
  const variants = [{ key: 'red', default: true }, { key: 'blue' }]
  const { url, requests } = await serve(t, ({ path }: Sent) => {
    if (path.includes('/propagation')) return { body: { gateways: 1, reached: 1, settled: true } }
    if (!path.endsWith('/apply')) return { body: { flag: { key: 'color', variants }, revision: 5 } }
    const message = 'operations[0]: flag "default/color" is at revision 6, not 5'
    if (isOvertaken) return { status: 412, body: { code: 9, message, details: [] } }
    const items = [{ kind: 'FLAG_KIND', key: 'color', action: 'UPDATED_ACTION' }]
    return { body: { revision: 7, items, unchanged: 0, plan: '' } }
  })
  const ended = await runLine(['flags', 'set', 'color', '--url', url, ...argv], { stdin })
  const applied = requests.find(({ path }) => path.endsWith('/apply'))?.body
  const { operations } = (applied ?? { operations: [] }) as { operations: readonly object[] }
  return { ...ended, operations }
}

t.test('--default-variant does not take back what was changed meanwhile', async (t) => {
  const { code, operations } = await set(t, ['--default-variant', 'blue'])
  t.equal(code, 0)
  const variants = [
    { key: 'red', default: false },
    { key: 'blue', default: true },
  ]
  t.strictSame(operations, [
    { kind: 'FLAG_KIND', key: 'color', patch: { variants }, ifRevision: 5 },
  ])
  const overtaken = await set(t, ['--default-variant', 'blue'], '', true)
  t.match(overtaken, { code: 4, stderr: /is at revision 6, not 5\n.*Read it again/ })

  const named = await set(t, ['--name', 'Color'])
  t.strictSame(named.operations, [{ kind: 'FLAG_KIND', key: 'color', patch: { name: 'Color' } }])
})

t.test('options are set beside what --patch has', async (t) => {
  const patch = JSON.stringify({ enabled: true, metadata: { ticket: 'A-1', owner: 'web' } })
  const { operations } = await set(t, ['--patch', '-', '--owner', 'shop', '--tag', 'new'], patch)
  const metadata = { ticket: 'A-1', owner: 'shop', tags: ['new'] }
  t.strictSame(operations, [
    { kind: 'FLAG_KIND', key: 'color', patch: { enabled: true, metadata } },
  ])
})

t.test('what a patch replaces as a whole is not set by options as well', async (t) => {
  const cases: readonly [patch: object, option: readonly string[], name: string][] = [
    [{ metadata: null }, ['--owner', 'shop'], 'metadata'],
    [{ variants: [{ key: 'green' }] }, ['--default-variant', 'green'], 'variants'],
  ]
  for (const [patch, option, name] of cases) {
    const argv = ['--patch', '-', ...option]
    const { code, stderr, operations } = await set(t, argv, JSON.stringify(patch))
    t.equal(code, 2)
    t.match(stderr, `--patch replaces ${name}, of which ${option[0]} sets a part`)
    t.strictSame(operations, [])
  }
})
