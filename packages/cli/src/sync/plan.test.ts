import t, { type Test } from 'tap'
import { runLine, type Sent, serve } from '../run.test.support.ts'
import { creationMark } from './namespaces.ts'

type Counts = Readonly<Record<'flagCount' | 'segmentCount', number>>

const nothing: Counts = { flagCount: 0, segmentCount: 0 }

/** Syncs while `one` and `two` are to be deleted, of which `one` has `counts` when that is done. */
async function sync(t: Test, counts: Counts, more: readonly string[] = []) {
  const keys = ['default', 'one', 'two']
  const creation = {
    comment: creationMark('shop-flags'),
    items: [{ kind: 'NAMESPACE_KIND', action: 'CREATED_ACTION' }],
  }
  const { url, requests } = await serve(t, ({ method, path }: Sent) => {
    const { pathname } = new URL(path, 'http://x')
    const [, key = ''] = /^\/api\/v1\/namespaces\/(\w+)$/.exec(pathname) ?? []
    if (method === 'DELETE') return { body: {} }
    if (pathname === '/api/v1/namespaces') {
      const namespaces = keys.map((key) => ({ key, protected: key === 'default', ...nothing }))
      return { body: { namespaces, nextPageToken: '' } }
    }
    if (key !== '') return { body: { key, ...(key === 'one' ? counts : nothing) } }
    if (pathname.endsWith('/changes')) return { body: { changes: [creation], nextPageToken: '' } }
    return { body: { plan: 'p', items: [], unchanged: 0, revision: 7 } }
  })
  const directory = t.testdir({ 'a.yml': 'namespace: default\n' })
  const argv = ['sync', directory, '--manager', 'shop-flags', '--delete-namespaces', ...more]
  const ended = await runLine(argv, { env: { SVC_URL: url, SVC_TOKEN: 'svc_x' } })
  const deleted = requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path)
  return { ...ended, deleted }
}

t.test('a namespace that is filled after the plan is not deleted', async (t) => {
  const empty = await sync(t, nothing)
  t.strictSame(empty.deleted, ['/api/v1/namespaces/one', '/api/v1/namespaces/two'])
  t.match(empty, { code: 0, stderr: /namespace one was deleted\n.*namespace two was deleted/ })

  for (const counts of [
    { flagCount: 1, segmentCount: 0 },
    { flagCount: 0, segmentCount: 1 },
  ]) {
    const { code, stderr, stdout, deleted } = await sync(t, counts, ['--json'])
    t.strictSame(deleted, ['/api/v1/namespaces/two'])
    t.equal(code, 4)
    t.match(stderr, /namespace one is no longer empty: it stays/)
    t.match(stderr, /namespace two was deleted/)
    t.notMatch(stderr, /namespace one was deleted/)
    t.strictSame(JSON.parse(stdout).deletedNamespaces, ['two'])
  }
})

t.test('a watch says nothing when there is nothing to do', async (t) => {
  const stop = new AbortController()
  const creation = {
    comment: creationMark('shop-flags'),
    items: [{ kind: 'NAMESPACE_KIND', action: 'CREATED_ACTION' }],
  }
  let listed = 0
  const { url } = await serve(t, ({ path }: Sent) => {
    const { pathname } = new URL(path, 'http://x')
    if (pathname === '/api/v1/namespaces') {
      listed += 1
      if (listed === 2) stop.abort()
      const filled = { key: 'one', protected: false, flagCount: 1, segmentCount: 0 }
      return { body: { namespaces: [filled], nextPageToken: '' } }
    }
    if (pathname.endsWith('/changes')) return { body: { changes: [creation], nextPageToken: '' } }
    return { body: { plan: 'p', items: [], unchanged: 0, revision: 7 } }
  })
  const directory = t.testdir({ 'a.yml': 'namespace: default\n' })
  const argv = ['sync', directory, '--manager', 'shop-flags', '--delete-namespaces', '--url', url]
  const once = await runLine(argv)
  t.match(once, { code: 0, stderr: /namespace one is in no folder, and not empty: it stays/ })
  listed = 0
  const watched = await runLine([...argv, '--watch', '1s'], { signal: stop.signal })
  t.match(watched, { code: 0, stdout: '', stderr: '' })
})

/** Syncs a folder, of which the plan deletes as many of 200 objects. */
async function prune(t: Test, deletions: number, more: readonly string[] = []) {
  const items = Array.from({ length: deletions }, (_, n) => ({
    ...{ kind: 'FLAG_KIND', key: `f-${n}`, action: 'DELETED_ACTION', changes: [] },
  }))
  const { url, requests } = await serve(t, ({ path }: Sent) => {
    if (path.includes('/propagation')) return { body: { gateways: 1, reached: 1, settled: true } }
    if (!path.endsWith('/apply')) return { body: { key: 'default' } }
    return { body: { plan: 'p', items, unchanged: 200 - deletions, revision: 7 } }
  })
  const directory = t.testdir({ 'a.yml': 'namespace: default\n' })
  const ended = await runLine([
    ...['sync', directory, '--manager', 'shop-flags', '--url', url],
    ...more,
  ])
  const isWritten = requests.some(
    ({ path, body }) => path.endsWith('/apply') && Reflect.get(Object(body), 'dryRun') !== true,
  )
  return { ...ended, isWritten }
}

t.test('a dry run shows a plan that deletes too much, and its hash allows it', async (t) => {
  const refused = await prune(t, 21)
  t.match(refused, { code: 4, stdout: '', isWritten: false })
  t.match(refused.stderr, /delete 21 of the 200 objects that "shop-flags" keeps in default:/)

  const dry = await prune(t, 21, ['--dry-run', '--json'])
  t.equal(dry.code, 4)
  t.match(JSON.parse(dry.stderr), { error: { message: /delete 21 of the 200/, exitCode: 4 } })
  const { plan, namespaces } = JSON.parse(dry.stdout)
  t.equal(namespaces[0].items.length, 21)
  t.match(await prune(t, 21, ['--plan', plan]), { code: 0, isWritten: true })
})

t.test('--max-deletions is the bound, below ten and below a tenth as well', async (t) => {
  t.match(await prune(t, 20), { code: 0, isWritten: true })
  t.match(await prune(t, 20, ['--max-deletions', '20']), { code: 0, isWritten: true })
  for (const [deletions, given] of [
    [20, 19],
    [1, 0],
  ] as const) {
    const { code, stderr, isWritten } = await prune(t, deletions, ['--max-deletions', `${given}`])
    t.match({ code, isWritten }, { code: 4, isWritten: false })
    t.match(
      stderr,
      `delete ${deletions} of the objects that "shop-flags" keeps in default, and --max-deletions is ${given}:`,
    )
  }
})
