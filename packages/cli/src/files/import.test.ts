import { join } from 'node:path'
import t, { type Test } from 'tap'
import { runLine, type Sent, serve } from '../run.test.support.ts'

interface Operation {
  readonly kind: string
  readonly key: string
  readonly delete?: boolean
}

/** Imports files with `--prune` into a namespace that has flags of these keys. */
async function prune(
  t: Test,
  keys: readonly string[],
  files: Readonly<Record<string, string>>,
  more: readonly string[] = [],
) {
  const { url, requests } = await serve(t, ({ path, body }: Sent) => {
    if (path.endsWith('/apply')) return { body: planOf(body, keys) }
    if (path.includes('/propagation')) return { body: { gateways: 1, reached: 1, settled: true } }
    if (path === '/api/v1/namespaces/shop') return { body: { key: 'shop' } }
    const flags = keys.map((key) => ({ key, name: key, type: 'BOOLEAN_FLAG_TYPE' }))
    return { body: { revision: 6, settings: {}, flags, segments: [], nextPageToken: '' } }
  })
  const folder = t.testdir({ ...files })
  const names = Object.keys(files).map((name) => join(folder, name))
  const argv = ['import', ...names, '--prune', '-n', 'shop', '--url', url, ...more]
  const ended = await runLine(argv)
  const written = requests.filter(
    ({ path, body }) => path.endsWith('/apply') && Reflect.get(Object(body), 'dryRun') !== true,
  )
  return { ...ended, requests, written }
}

function planOf(body: unknown, keys: readonly string[]) {
  const { operations } = body as { operations: readonly Operation[] }
  const items = operations
    .filter((operation) => operation.delete === true)
    .map(({ kind, key }) => ({ kind, key, action: 'DELETED_ACTION', changes: [] }))
  return { revision: 7, plan: 'p', items, unchanged: keys.length - items.length }
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `f-${n}`)

function fileOf(keys: readonly string[]): string {
  const flags = keys.map((key) => `- {key: ${key}, name: ${key}, type: BOOLEAN_FLAG_TYPE}\n`)
  return `namespace: shop\nflags:\n${flags.join('')}`
}

t.test('what means nothing in a file is refused before it can delete anything', async (t) => {
  const keys = ['a', 'b']
  const typo = await prune(t, keys, { 'a.yml': 'namespace: shop\nflgas:\n- {key: a, name: A}\n' })
  t.match(typo, { code: 2, stderr: /a\.yml:2:1: flgas: is unknown.*Did you mean "flags"\?/ })
  t.strictSame(typo.requests, [])

  const stray = { 'a.yml': fileOf(keys), 'tsconfig.json': '{"compilerOptions": {}}' }
  const other = await prune(t, keys, stray)
  t.match(other, { code: 2, stderr: /tsconfig\.json:1:2: compilerOptions: is unknown/ })
  t.strictSame(other.requests, [])
})

t.test('deletions of an import are bounded', async (t) => {
  const keys = numbered(12)
  const most = { 'a.yml': fileOf(keys.slice(0, 1)) }

  await t.test('more than ten, and than a tenth, are refused and listed', async (t) => {
    const { code, stdout, stderr, written } = await prune(t, keys, most)
    t.equal(code, 4)
    t.equal(stdout, '')
    t.match(stderr, /this would delete 11 of the 12 objects in shop:\n {4}- flag f-1\n/)
    t.match(stderr, /Nothing was written\. .*--max-deletions 11/)
    t.strictSame(written, [])
  })

  await t.test('a dry run shows them first', async (t) => {
    const { code, stdout, stderr } = await prune(t, keys, most, ['--dry-run'])
    t.equal(code, 4)
    t.match(stdout, /^shop: 11 deleted, 1 unchanged$/m)
    t.match(stderr, /this would delete 11 of the 12 objects/)
  })

  await t.test('--max-deletions is the bound', async (t) => {
    const allowed = await prune(t, keys, most, ['--max-deletions', '11'])
    t.match(allowed, { code: 0, stdout: /shop: 11 deleted, 1 unchanged · revision 7/ })
    t.equal(allowed.written.length, 1)
    const refused = await prune(t, keys, { 'a.yml': fileOf(keys.slice(1)) }, [
      ...['--max-deletions', '0'],
    ])
    t.match(refused, {
      code: 4,
      stderr: /delete 1 of the objects in shop, and --max-deletions is 0/,
    })
    t.strictSame(refused.written, [])
  })

  await t.test('ten are fine, and so is a tenth', async (t) => {
    t.match(await prune(t, keys, { 'a.yml': fileOf(keys.slice(0, 2)) }), { code: 0 })
    const many = numbered(120)
    t.match(await prune(t, many, { 'a.yml': fileOf(many.slice(0, 108)) }), { code: 0 })
  })
})
