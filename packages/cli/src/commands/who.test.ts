import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { runLine, type Sent, serve } from '../run.test.support.ts'

interface Kept {
  readonly current?: string
  readonly profiles: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const session = (more: object = {}) => ({
  authentication: {
    id: '0b5f6a5e-8f0e-4c0e-9a51-6f3a2d7c1e42',
    method: 'METHOD_OIDC',
    metadata: { 'io.svc.auth.oidc.name': 'Ada' },
    allowedAddresses: [],
    expiresAt: '2026-11-25T20:00:00.123456Z',
  },
  namespaceKey: '',
  issuer: '',
  subject: '',
  current: true,
  ...more,
})

/** A service that knows some tokens, and what `svc` keeps. */
async function open(t: Test, answer: (sent: Sent) => object | undefined = () => undefined) {
  const folder = t.testdir({ token: 'svc_good\n', bad: 'svc_bad\n' })
  const service = await serve(t, (sent) => {
    const special = answer(sent)
    if (special !== undefined) return special
    if (sent.headers.authorization !== 'Bearer svc_good') {
      return {
        status: 401,
        body: { code: 16, message: 'request was not authenticated', details: [] },
      }
    }
    return { body: sent.method === 'GET' ? session() : { logoutUrl: '' } }
  })
  const env = { XDG_CONFIG_HOME: folder }
  const file = join(folder, 'svc/profiles.json')
  return {
    ...service,
    at: (name: string) => join(folder, name),
    kept: () => JSON.parse(readFileSync(file, 'utf8')) as Kept,
    keep(profiles: object) {
      mkdirSync(join(folder, 'svc'), { recursive: true })
      writeFileSync(file, JSON.stringify(profiles))
    },
    run: (argv: readonly string[], options: Parameters<typeof runLine>[1] = {}) =>
      runLine(argv, { ...options, env: { ...env, ...options.env } }),
  }
}

t.test('login', async (t) => {
  await t.test('keeps a token that the service knows', async (t) => {
    const { at, kept, run, url } = await open(t)
    const { code, stdout, stderr } = await run([
      'login',
      '--url',
      `${url}/`,
      '--token-file',
      at('token'),
    ])
    t.equal(code, 0, stderr)
    t.equal(stdout, `Logged in at ${url} as Ada until 2026-11-25 20:00:00Z · profile default\n`)
    t.strictSame(kept(), { current: 'default', profiles: { default: { url, token: 'svc_good' } } })
    t.notMatch(stdout + stderr, 'svc_good')
    t.equal((await run(['whoami'])).code, 0, 'which is used then')
  })

  await t.test('under a name, with the namespace', async (t) => {
    const { at, kept, run, url } = await open(t)
    const argv = [
      'login',
      '--profile',
      'ci',
      '--url',
      url,
      '-n',
      'shop',
      '--token-file',
      at('token'),
    ]
    const { stdout } = await run([...argv, '--json'])
    t.match(JSON.parse(stdout), { url, profile: 'ci', name: 'Ada', session: { current: true } })
    t.match(kept(), { current: 'ci', profiles: { ci: { namespaceKey: 'shop' } } })
  })

  await t.test('and the one namespace of a token that is bound to it', async (t) => {
    const bound = session({ namespaceKey: 'shop' })
    const { at, kept, run, url } = await open(t, () => ({ body: bound }))
    await run(['login', '--url', url, '--token-file', at('token')])
    t.match(kept(), { profiles: { default: { namespaceKey: 'shop' } } })
  })

  await t.test(
    'keeps nothing of a token that is refused, or of a service that is not there',
    async (t) => {
      const { at, kept, run, url } = await open(t)
      t.match(await run(['login', '--url', url, '--token-file', at('bad')]), {
        code: 5,
        stdout: '',
      })
      const gone = ['login', '--url', 'http://127.0.0.1:1', '--token-file', at('token')]
      t.match(await run(gone), { code: 6, stdout: '' })
      t.throws(kept, { code: 'ENOENT' })
    },
  )

  await t.test('ends the token that the login before it has got, and no other', async (t) => {
    const signOuts: unknown[] = []
    const { at, keep, run, url } = await open(t, ({ method, headers }) => {
      if (method !== 'DELETE') return undefined
      signOuts.push(headers.authorization)
      return { body: { logoutUrl: '' } }
    })
    const login = ['login', '--url', url, '--token-file', at('token')]
    keep({ current: 'default', profiles: { default: { url, token: 'svc_old', isOwnToken: true } } })
    await run(login)
    t.strictSame(signOuts, ['Bearer svc_old'])
    keep({ current: 'default', profiles: { default: { url, token: 'svc_by_hand' } } })
    await run(login)
    t.equal(signOuts.length, 1)
  })

  await t.test('says where it cannot ask, and what makes no sense', async (t) => {
    const { at, requests, run, url } = await open(t)
    const wrong: readonly [readonly string[], RegExp][] = [
      [['login', '--url', url], /there is no terminal to ask at\n.*--token-file FILE/],
      [['login', '--url', url, '--web', '--token-file', at('token')], /it needs no browser/],
      [['login', '--url', url, '--no-browser', '--token-file', at('token')], /needs no browser/],
    ]
    for (const [argv, said] of wrong) t.match(await run(argv), { code: 2, stderr: said })
    t.strictSame(requests, [])
  })

  await t.test('says when there is no page to log in with', async (t) => {
    const { run, url } = await open(t, ({ path }) =>
      path.startsWith('/auth/v1/method') ? { body: { methods: [] } } : { status: 404 },
    )
    for (const way of ['--web', '--no-browser']) {
      t.match(await run(['login', way, '--url', url], { env: { BROWSER: 'true' } }), {
        code: 1,
        stderr: /web interface of this service is turned off[\s\S]*--token-file FILE/,
      })
    }
  })

  await t.test('warns of plain http on the way, and of SVC_TOKEN', async (t) => {
    const { at, run, url } = await open(t)
    const login = ['login', '--token-file', at('token'), '--url']
    t.match((await run([...login, 'http://192.0.2.1:1'])).stderr, /warning: others on the way/)
    const { stderr } = await run([...login, url], { env: { SVC_TOKEN: 'other' } })
    t.equal(stderr, 'SVC_TOKEN is set, and comes before what a login keeps.\n')
  })
})

t.test('logout', async (t) => {
  await t.test('ends the token that the login has got', async (t) => {
    const { keep, kept, requests, run, url } = await open(t)
    const own = { url, token: 'svc_good', isOwnToken: true }
    keep({ current: 'a', profiles: { a: own, b: { url, token: 'x' } } })
    const { code, stdout } = await run(['logout'])
    t.equal(code, 0)
    t.equal(stdout, `Logged out at ${url} · profile a\n`)
    t.match(requests, [{ method: 'DELETE', path: '/auth/v1/session' }])
    t.match(kept(), { current: 'b' })
    t.notOk('a' in kept().profiles)
  })

  await t.test('also one that has ended already', async (t) => {
    const { keep, kept, run, url } = await open(t)
    keep({ current: 'a', profiles: { a: { url, token: 'svc_gone', isOwnToken: true } } })
    t.equal((await run(['logout'])).code, 0)
    t.strictSame(kept(), { profiles: {} })
  })

  await t.test('leaves a token alone that was made by hand', async (t) => {
    const { keep, requests, run, url } = await open(t)
    keep({ current: 'a', profiles: { a: { url, token: 'svc_good' } } })
    t.match(await run(['logout']), { code: 0, stdout: /the token stays good/ })
    t.strictSame(requests, [])
  })

  await t.test('keeps the login while the service is gone, unless told otherwise', async (t) => {
    const { keep, kept, run } = await open(t)
    const url = 'http://127.0.0.1:1'
    keep({ current: 'a', profiles: { a: { url, token: 'svc_good', isOwnToken: true } } })
    t.equal((await run(['logout'])).code, 6)
    t.match(kept(), { current: 'a' })
    t.equal((await run(['logout', '--local'])).code, 0)
    t.strictSame(kept(), { profiles: {} })
  })

  await t.test('of nothing is nothing', async (t) => {
    const { run } = await open(t)
    t.match(await run(['logout']), {
      code: 0,
      stdout: '',
      stderr: 'There is no login to forget.\n',
    })
    t.match(await run(['logout', '--profile', 'x']), { code: 2 })
  })
})

t.test('whoami says who, where and for how long', async (t) => {
  const { keep, run, url } = await open(t)
  keep({ current: 'work', profiles: { work: { url, token: 'svc_good' } } })
  const { code, stdout } = await run(['whoami'])
  t.equal(code, 0)
  t.equal(
    stdout,
    `Ada at ${url}
  profile     work
  method      oidc
  namespaces  all
  addresses   all
  expires     2026-11-25 20:00:00Z
  id          0b5f6a5e-8f0e-4c0e-9a51-6f3a2d7c1e42
`,
  )
  const json = await run(['whoami', '--json'], { env: { SVC_TOKEN: 'svc_good' } })
  t.match(JSON.parse(json.stdout), { url, name: 'Ada', session: { current: true } })
  t.notOk('profile' in JSON.parse(json.stdout), 'the token is not that of the profile')
  const unreachable = await run(['whoami', '--url', 'http://localhost:1'])
  t.equal(unreachable.code, 6)
  t.match(await run(['whoami'], { env: { SVC_TOKEN: 'svc_bad' } }), {
    code: 5,
    stderr: /SVC_TOKEN/,
  })
})
