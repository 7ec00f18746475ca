import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createApi } from '@svc/client/api'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { startOrchestratorApi } from '../support/orchestrator-api.ts'
import { startStack } from '../support/stack.ts'
import { type SvcOptions, svcFor } from '../support/svc.ts'

const manager = 'shop-flags'

type Files = Readonly<Record<string, string>>

async function start(t: Test) {
  const { urls, token } = await startStack(t)
  const api = createApi({ url: urls[0], token })
  const svc = svcFor({ url: urls[0], token })
  const directory = join(t.testdir({}), 'flags')
  const write = async (files: Files) => {
    await rm(directory, { recursive: true, force: true })
    await mkdir(directory)
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true })
      await writeFile(join(directory, name), text)
    }
  }
  const sync = (more: readonly string[] = [], options?: SvcOptions) =>
    svc(['sync', directory, '--manager', manager, ...more], options)
  const keysOf = async (namespaceKey: string) => {
    const { flags, segments } = await api.documents.getNamespace({ namespaceKey, limit: 1000 })
    return [...flags, ...segments].map(({ key }) => key)
  }
  return { api, svc, sync, write, directory, keysOf }
}

/** Flags as a file. */
function flags(...keys: readonly string[]): string {
  return `flags:\n${keys.map((key) => `- {key: ${key}, name: ${key}, type: BOOLEAN_FLAG_TYPE}\n`).join('')}`
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `f-${n}`)

t.test('a folder that is wrong ends with 2, and nothing is written', async (t) => {
  const { api, sync, svc, write, directory, keysOf } = await start(t)
  const cases: readonly [string, Files, RegExp][] = [
    [
      'a member that is unknown, with its place and what was meant',
      { 'shop/a.yml': 'flags:\n- key: a\n  nmae: A\n' },
      /shop\/a\.yml:3:3: flags\[0\]\.nmae: is unknown.*Did you mean "name"\?/,
    ],
    [
      'a document of another namespace',
      { 'shop/a.yml': 'namespace: team\nflags: []\n' },
      /shop\/a\.yml:1:12: namespace: is "team": all that is in this folder is of "shop"/,
    ],
    [
      'a document of another namespace, as an object',
      { 'shop/deep/a.json': '{"namespace": {"key": "team", "name": "Team"}}' },
      /shop\/deep\/a\.json:1:\d+: namespace\.key: is "team"/,
    ],
    [
      'an object that is in two files',
      { 'shop/a.yml': flags('a'), 'shop/b.yml': flags('a') },
      /shop\/b\.yml:2:3: flags\[0\]: flag "a" is in .*shop\/a\.yml:2:3, too/,
    ],
    [
      'a folder without a document',
      { 'shop/a.yml': flags('a'), 'team/README.md': 'nothing' },
      /team has no document in it\n.*write `namespace: team`/,
    ],
    ['a file without a document', { 'shop/a.yml': '# later\n' }, /shop has no document in it/],
    ['a folder that cannot be a namespace', { 'a b/a.yml': flags('a') }, /cannot be the key/],
    ['a folder with nothing in it', {}, /has no document in it/],
    ['a broken file', { 'shop/a.yml': 'flags: [' }, /shop\/a\.yml:1:\d+: /],
  ]
  for (const [what, files, said] of cases) {
    await write(files)
    const { code, stderr } = await sync()
    t.equal(code, 2, what)
    t.match(stderr, said)
  }

  await t.test('a link that leads out of it', async (t) => {
    const outside = join(t.testdir({ 'secret.yml': 'password: hunter2' }), 'secret.yml')
    await write({ 'shop/a.yml': flags('a') })
    await symlink(outside, join(directory, 'shop/b.yml'))
    const { code, stderr } = await sync()
    t.equal(code, 2)
    t.match(stderr, /shop\/b\.yml is a link that leads out of/)
    t.notMatch(stderr, /hunter2/)
    await rm(join(directory, 'shop/b.yml'))
    await symlink('..', join(directory, 'shop/up'))
    t.match((await sync()).stderr, /by a link/)
  })

  const wrong: readonly [readonly string[], RegExp][] = [
    [['sync', '/nonexistent', '--manager', 'm'], /there is no such file or folder/],
    [['sync', directory], /required option '--manager <NAME>'/],
    [['sync', directory, '--manager', 'a b'], /--manager takes a name/],
    [['sync', directory, '--manager', 'm', '--watch', '5s', '--plan', 'x'], /--plan means nothing/],
    [['sync', directory, '--manager', 'm', '--watch', '5ms'], /--watch takes a time/],
    [['sync', directory, '--manager', 'm', '--exit-code'], /--exit-code needs --dry-run/],
  ]
  for (const [argv, said] of wrong) {
    const { code, stderr } = await svc(argv)
    t.equal(code, 2, argv.join(' '))
    t.match(stderr, said)
  }
  t.strictSame(await keysOf('default'), [])
  t.strictSame(
    (await api.namespaces.list()).namespaces.map(({ key }) => key),
    ['default'],
  )
})

t.test('names and links that are passed over, and followed', async (t) => {
  const { sync, write, directory, keysOf } = await start(t)
  // As Kubernetes mounts a ConfigMap.
  await write({ '.git/config.yml': 'nonsense', 'default/..2026/a.yml': flags('a'), LICENSE: 'x' })
  await symlink('..2026', join(directory, 'default/..data'))
  await symlink('..data/a.yml', join(directory, 'default/a.yml'))
  t.equal((await sync()).code, 0)
  t.strictSame(await keysOf('default'), ['a'])
})

t.test('what the service refuses has its place in the files', async (t) => {
  const { sync, write, keysOf } = await start(t)
  const used =
    'flags:\n- key: a\n  name: A\n  type: BOOLEAN_FLAG_TYPE\n  rollouts:\n  - segment: {key: nope, value: true}\n'
  await write({ 'default/a.yml': flags('b'), 'default/deep/b.yml': used })
  const { code, stderr } = await sync()
  t.equal(code, 1)
  t.match(stderr, /default\/deep\/b\.yml:2:3: flag "default\/a".*segment "default\/nope" not found/)
  await write({ 'new/b.yml': used })
  t.equal((await sync()).code, 1)
  await t.rejects(keysOf('new'), { message: /not found/ }, 'a new namespace is not left behind')
})

t.test('deletions', async (t) => {
  const { sync, write, keysOf, api } = await start(t)
  const namespaceKey = 'default'
  const reset = async (count: number) => {
    await write({ 'default/a.yml': flags(...numbered(count)) })
    t.equal((await sync(['--max-deletions', '1000'])).code, 0)
  }

  await t.test('of ten objects are fine', async (t) => {
    await reset(20)
    await write({ 'default/a.yml': flags(...numbered(10)) })
    t.equal((await sync()).code, 0)
    t.equal((await keysOf(namespaceKey)).length, 10)
  })

  await t.test('of a tenth are fine', async (t) => {
    await reset(120)
    await write({ 'default/a.yml': flags(...numbered(108)) })
    t.equal((await sync()).code, 0)
  })

  await t.test('of more are refused, and listed', async (t) => {
    await reset(119)
    await write({ 'default/a.yml': flags(...numbered(107)) })
    const { code, stderr } = await sync()
    t.equal(code, 4)
    t.match(
      stderr,
      /would delete 12 of the 119 objects that "shop-flags" keeps in default:\n {4}- flag f-107\n/,
    )
    t.match(stderr, /--max-deletions 12/)
    t.equal((await sync(['--dry-run'])).code, 4)
    t.equal((await keysOf(namespaceKey)).length, 119)
    t.equal((await sync(['--max-deletions', '11'])).code, 4)
    t.equal((await sync(['--max-deletions', '12'])).code, 0)
    t.equal((await keysOf(namespaceKey)).length, 107)
  })

  await t.test('are counted of what the manager keeps, and not of what it gets', async (t) => {
    await reset(15)
    const mine = numbered(300).slice(15)
    for (const key of mine.slice(0, 200)) {
      await api.flags.create({ namespaceKey, key, name: 'by hand', type: 'BOOLEAN_FLAG_TYPE' })
    }
    // Of the 15 there are 3 left, and one of those is updated.
    const text = flags(...numbered(3), ...mine.slice(0, 200)).replace('name: f-0', 'name: other')
    await write({ 'default/a.yml': text })
    const { code, stderr } = await sync()
    t.equal(code, 4)
    t.match(stderr, /would delete 12 of the 15 objects/)
    for (const key of mine.slice(0, 200)) await api.flags.delete({ namespaceKey, key })
  })

  await t.test('of everything take a plan', async (t) => {
    await reset(12)
    await write({ 'default/a.yml': 'namespace: default\n' })
    t.equal((await sync()).code, 4)
    const dry = await sync(['--dry-run', '--json', '--max-deletions', '12'])
    t.equal(dry.code, 0)
    t.equal((await sync(['--plan', JSON.parse(dry.stdout).plan])).code, 0)
    t.strictSame(await keysOf(namespaceKey), [])
  })
})

t.test('what another manager keeps is taken over only when told so', async (t) => {
  const { svc, sync, write, directory } = await start(t)
  await write({ 'default/a.yml': flags('a') })
  t.equal((await svc(['sync', directory, '--manager', 'other'])).code, 0)
  const refused = await sync()
  t.equal(refused.code, 4)
  t.match(refused.stderr, /a\.yml:2:3: flag "default\/a" is kept by "other"\n.*--take-over/)
  t.equal((await sync(['--take-over'])).code, 0)
  t.match((await svc(['flags', 'get', 'a'])).stdout, /kept by "shop-flags"/)
})

t.test('--delete-namespaces deletes what this manager made, when it is empty', async (t) => {
  const { api, svc, sync, write, directory } = await start(t)
  const namespaces = async () => (await api.namespaces.list()).namespaces.map(({ key }) => key)
  await api.namespaces.create({ key: 'hand', name: 'By hand' })
  await write({ 'mine/a.yml': flags('a'), 'kept/a.yml': flags('a'), 'hand/a.yml': flags('a') })
  t.equal((await sync()).code, 0)
  await write({ 'theirs/a.yml': 'namespace: theirs\n' })
  t.equal((await svc(['sync', directory, '--manager', 'other'])).code, 0)
  await write({
    'mine/a.yml': 'namespace: mine\n',
    'kept/a.yml': flags('a'),
    'hand/a.yml': 'namespace: hand\n',
  })
  t.equal((await sync()).code, 0)

  await write({ 'default/a.yml': flags('a') })
  t.equal((await sync()).code, 0)
  t.equal((await namespaces()).length, 5, 'none without the option')
  const dry = await sync(['--delete-namespaces', '--dry-run', '--exit-code', '--json'])
  t.equal(dry.code, 3)
  t.match(JSON.parse(dry.stdout).deletedNamespaces, ['mine'])
  t.match(dry.stderr, /namespace kept is in no folder, and not empty: it stays/)
  const done = await sync(['--delete-namespaces', '--plan', JSON.parse(dry.stdout).plan])
  t.equal(done.code, 0)
  t.match(done.stderr, /namespace mine was deleted/)
  t.strictSame(await namespaces(), ['default', 'hand', 'kept', 'theirs'])
})

t.test('--watch', async (t) => {
  const { api, sync, write, directory, keysOf } = await start(t)
  const namespaceKey = 'default'
  const stop = new AbortController()
  const link = `${directory}-link`
  await write({ 'default/a.yml': flags('a') })
  await rename(directory, `${directory}-1`)
  await symlink(`${directory}-1`, link)
  let said = ''
  await rm(directory, { force: true, recursive: true })
  await symlink(link, directory)
  const watching = sync(['--watch', '1s'], {
    signal: stop.signal,
    onOutput: (stdout) => {
      said = stdout
    },
  })
  await waitFor(async () => (await keysOf(namespaceKey)).length === 1)

  await t.test('takes changes of others back', async () => {
    const operations = [{ kind: 'FLAG_KIND', key: 'a', patch: { name: 'by hand' } }] as const
    await api.documents.apply({ namespaceKey, operations })
    const nameOf = async () => (await api.flags.get({ namespaceKey, key: 'a' })).name
    await waitFor(async () => (await nameOf()) === 'a')
  })

  await t.test('sees that the link was moved, and goes on after an error', async () => {
    await mkdir(`${directory}-2/default`, { recursive: true })
    await writeFile(`${directory}-2/default/a.yml`, 'flags: [')
    const move = async (to: string) => {
      await symlink(to, `${link}-new`)
      await rename(`${link}-new`, link)
    }
    await move(`${directory}-2`)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    await writeFile(`${directory}-2/default/a.yml`, flags('a', 'b'))
    await waitFor(async () => (await keysOf(namespaceKey)).length === 2)
  })

  const told = () => said.match(/default is at revision/g)?.length
  await waitFor(() => told() === 3)
  stop.abort()
  const { code, stdout, stderr } = await watching
  t.equal(code, 0, 'it is ended by a signal')
  t.match(stderr, /default\/a\.yml:1:\d+: /)
  t.equal(stdout.match(/nothing to change/), null, 'it says only what it did')
  t.equal(told(), 3)
})

t.test('a service account is exchanged for a token, and again when that is refused', async (t) => {
  const cluster = await startOrchestratorApi(t)
  const accounts = 'SVC_AUTHENTICATION_METHODS_ORCHESTRATOR_SERVICE_ACCOUNTS'
  const { urls, api: call } = await startStack(t, {
    env: { ...cluster.env, [accounts]: 'ops:sync' },
  })
  const svc = svcFor({ url: urls[0], token: '' })
  const tokenOf = () => cluster.tokenOf('ops:sync', { audiences: ['flags'] })
  const directory = t.testdir({ token: tokenOf(), flags: { default: { 'a.yml': flags('a') } } })
  const folder = join(directory, 'flags')
  const argv = ['sync', folder, '--manager', manager, '--service-account', join(directory, 'token')]
  t.match(await svc(argv), { code: 0, stderr: '' })

  const stop = new AbortController()
  const watching = svc([...argv, '--watch', '1s'], { signal: stop.signal })
  const keys = async () => {
    const { body } = await call('GET', '/api/v1/namespaces/default/flags')
    return (body as { flags: { key: string }[] }).flags.map(({ key }) => key)
  }
  await writeFile(join(folder, 'default/a.yml'), flags('a', 'b'))
  await waitFor(async () => (await keys()).length === 2)
  const { body } = await call('GET', '/auth/v1/tokens?limit=100')
  const { authentications } = body as { authentications: { id: string; method: string }[] }
  for (const { id, method } of authentications) {
    if (method === 'METHOD_ORCHESTRATOR') await call('DELETE', `/auth/v1/tokens/${id}`)
  }
  await writeFile(join(folder, 'default/a.yml'), flags('a', 'b', 'c'))
  await waitFor(async () => (await keys()).length === 3)
  stop.abort()
  const { code, stderr } = await watching
  t.equal(code, 0)
  t.match(stderr, /error: /, 'the token was refused once')

  const both = await svc(argv, { env: { SVC_TOKEN: 'x' } })
  t.match([both.code, both.stderr], [2, /leave out one/])
  await writeFile(join(directory, 'token'), '')
  t.match((await svc(argv)).stderr, /is empty/)
})

t.test('the history has the commit of the pipeline', async (t) => {
  const { api, sync, write } = await start(t)
  const sha = '3f2c1a9b0d4e5f60718293a4b5c6d7e8f9012345'
  const event = join(t.testdir({}), 'event.json')
  await writeFile(event, JSON.stringify({ head_commit: { id: sha, message: 'Turn it on\n\nwhy' } }))
  const cases: readonly [Readonly<Record<string, string>>, readonly string[], string][] = [
    [{ GITHUB_SHA: sha, GITHUB_EVENT_PATH: event }, [], '3f2c1a9b0d4e Turn it on'],
    [{ GITHUB_SHA: sha, GITHUB_EVENT_PATH: '/nonexistent' }, [], '3f2c1a9b0d4e'],
    [{ CI_COMMIT_SHA: sha, CI_COMMIT_TITLE: 'Ein Grund für' }, [], '3f2c1a9b0d4e Ein Grund für'],
    [{ GIT_COMMIT: sha }, [], '3f2c1a9b0d4e'],
    [{ GIT_COMMIT: sha }, ['--comment', 'as told'], 'as told'],
    [{ GIT_COMMIT: '$(whoami)' }, [], ''],
  ]
  for (const [n, [env, more, comment]] of cases.entries()) {
    await write({ 'default/a.yml': flags(`f-${n}`) })
    t.equal((await sync(more, { env })).code, 0)
    const { changes } = await api.changes.list({ namespaceKey: 'default', limit: 1 })
    t.equal(changes[0]?.comment, comment)
    t.match(changes[0]?.details, { manager })
  }
})
