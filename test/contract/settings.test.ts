import { authSettings } from '@svc/auth/settings'
import { loadSettings, requireSetting } from '@svc/config'
import t from 'tap'
import { loadEnv, loadText, problemsOf } from '../support/settings.ts'

t.test('without any source the defaults hold', async (t) => {
  const { settings, source } = loadSettings(authSettings, { env: {}, systemFiles: [] })
  t.equal(source, undefined)
  const { methods, required } = settings.authentication
  t.equal(required, true)
  t.equal(settings.internal.insecure, false)
  t.strictSame(methods.token, {
    enabled: true,
    cleanup: { interval: 3_600_000, gracePeriod: 1_800_000 },
    bootstrap: { metadata: {}, force: false, log: true },
  })
  const { token: _, ...others } = methods
  for (const [name, { enabled }] of Object.entries(others)) t.equal(enabled, false, name)
})

t.test('the file goes before defaults and variables before the file', async (t) => {
  const file = 'log: {level: warn, requests: true}\nserver: {http_port: 81}'
  const env = { SVC_LOG_LEVEL: 'error', LOG_LEVEL: 'fatal', PORT: '82' }
  const { log, server } = loadText(t.testdir(), file, env)
  t.match(log, { level: 'error', requests: true })
  t.equal(server.httpPort, 82)
})

t.test('YAML may be in any style, and keys in any case', async (t) => {
  const texts = [
    'server:\n  http_port: 81',
    'SERVER: {HTTP_PORT: 81}',
    'server.http_port: 81',
    'server:\n  http_port: "81"',
    '{"server": {"http_port": 81}}',
    '{\n\t"server": {\n\t\t"http_port": 81\n\t}\n}',
    'auth:\nserver: &s\n  http_port: 0x51\nlog:',
    `# nothing else\nversion: 1.0\nserver:\n  http_port: \${PORT_OF_OURS}`,
  ]
  const env = { PORT_OF_OURS: '81' }
  for (const text of texts) t.equal(loadText(t.testdir(), text, env).server.httpPort, 81, text)
  t.equal(loadText(t.testdir(), '').server.httpPort, 8080)
})

t.test('the short names of the specification mean the long ones', async (t) => {
  const file = `
bootstrap: {token: first-token-of-all, expiration: 24h}
token: {cleanup: {interval: 2h, grace_period: 90s}}`
  const env = {
    SVC_BOOTSTRAP_TOKEN: 'first-token-of-all',
    SVC_BOOTSTRAP_EXPIRATION: '24h',
    SVC_TOKEN_CLEANUP_INTERVAL: '2h',
    SVC_TOKEN_CLEANUP_GRACE_PERIOD: '90s',
  }
  for (const settings of [loadText(t.testdir(), file), loadEnv(env)]) {
    const { bootstrap, cleanup } = settings.authentication.methods.token
    t.strictSame(cleanup, { interval: 7_200_000, gracePeriod: 90_000 })
    t.equal(bootstrap.token?.reveal(), 'first-token-of-all')
    t.equal(bootstrap.expiration, 86_400_000)
  }
})

t.test('both names of a setting may say the same', async (t) => {
  const file = 'token.cleanup.interval: 2h\nauthentication.methods.token.cleanup.interval: 2h'
  t.equal(loadText(t.testdir(), file).authentication.methods.token.cleanup.interval, 7_200_000)
})

t.test('lists are lists, or text with spaces or commas', async (t) => {
  const origins = ['https://a.example', 'http://localhost:3000']
  const text = origins.join(', ')
  const read = [
    loadText(t.testdir(), `cors: {allowed_origins: [${origins.map((o) => `"${o}"`)}]}`),
    loadText(t.testdir(), `cors: {allowed_origins: "${text}"}`),
    loadText(t.testdir(), `cors: {allowed_origins: ["\${A}", "\${B}"]}`, {
      A: origins[0],
      B: origins[1],
    }),
    loadText(t.testdir(), `cors: {allowed_origins: "\${LIST}"}`, { LIST: text }),
    loadEnv({ SVC_CORS_ALLOWED_ORIGINS: origins.join(' ') }),
  ]
  for (const { cors } of read) t.strictSame(cors.allowedOrigins, origins)
  const unset = loadText(t.testdir(), `cors: {allowed_origins: "\${NOT_SET}"}`)
  t.strictSame(unset.cors.allowedOrigins, [])
})

t.test('maps take their keys in any case, from one source', async (t) => {
  const file = `
bootstrap:
  metadata: {Owner: platform team, io.svc.auth.token.name: root, "stage": "\${STAGE}"}`
  const read = (env: Record<string, string>) =>
    loadText(t.testdir(), file, { STAGE: 'dev', ...env }).authentication.methods.token.bootstrap
  t.strictSame(read({}).metadata, {
    owner: 'platform team',
    'io.svc.auth.token.name': 'root',
    stage: 'dev',
  })
  for (const prefix of ['SVC_BOOTSTRAP', 'SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP']) {
    const env = { [`${prefix}_METADATA_COST_CENTRE`]: '42', [`${prefix}_METADATA_EMPTY`]: '' }
    t.strictSame(read(env).metadata, { cost_centre: '42' })
  }
})

t.test('a variable is put in only where it is the whole value', async (t) => {
  const file = `bootstrap: {token: "\${NAME}-and-some-more"}`
  const { token } = loadText(t.testdir(), file, { NAME: 'x' }).authentication.methods
  t.equal(token.bootstrap.token?.reveal(), `\${NAME}-and-some-more`)
})

t.test('a setting that a service needs is asked for by name', async (t) => {
  const { db } = loadEnv({ DATABASE_URL: 'postgres://db/svc' })
  t.equal(requireSetting(db.url, 'db.url').reveal(), 'postgres://db/svc')
  t.strictSame(
    problemsOf(() => requireSetting(loadEnv({}).db.url, 'db.url')),
    [
      'db.url is missing. Set it in the configuration file or in SVC_DB_URL, or name a file that' +
        ' holds it in SVC_DB_URL_FILE.',
    ],
  )
  t.throws(() => requireSetting(undefined, 'no.such'), TypeError)
})

t.test('settings can be printed without their secrets', async (t) => {
  const settings = loadEnv({
    SVC_DB_URL: 'postgres://svc:canary@db/svc',
    SVC_CACHE_REDIS_URL: 'redis://:canary@cache',
    SVC_BOOTSTRAP_TOKEN: 'canary-canary-canary',
  })
  t.notMatch(JSON.stringify(settings), 'canary')
  t.equal(JSON.stringify(settings.db.url), '"[secret]"')
})

t.test('addresses may be names, IP addresses or lists of them', async (t) => {
  const listen = ['0.0.0.0:9001', '[::]:9001', 'localhost:0', 'my_service:1', '127.0.0.1:65535']
  const address = ['auth:9001', '[::1]:9001', 'dns:///auth.svc.cluster.local:9001']
  const lists = ['ipv4:127.0.0.1:1,127.0.0.1:2', 'ipv6:[::1]:1,[::1]:2']
  for (const text of listen) t.equal(loadEnv({ SVC_AUTH_LISTEN: text }).auth.listen, text)
  for (const text of [...address, ...lists]) {
    t.equal(loadEnv({ SVC_RESOURCE_ADDRESS: text }).resource.address, text)
  }
  for (const text of ['::', '::1', 'localhost', '10.0.0.1']) {
    t.equal(loadEnv({ SVC_SERVER_HOST: text }).server.host, text)
  }
})

t.test('a bad value that another source replaces does no harm', async (t) => {
  const settings = loadText(t.testdir(), 'log: {level: loud}', { SVC_LOG_LEVEL: 'warn' })
  t.equal(settings.log.level, 'warn')
})

t.test('what has no effect may stay', async (t) => {
  const origins = { SVC_CORS_ALLOWED_ORIGINS: 'https://a.example', SVC_CORS_ENABLED: 'false' }
  const open = { SVC_AUTHENTICATION_REQUIRED: 'false', SVC_AUTHENTICATION_EXCLUDE_OFREP: 'true' }
  const off = { SVC_AUTHENTICATION_METHODS_TOKEN_ENABLED: 'false', SVC_BOOTSTRAP_LOG: 'false' }
  t.doesNotThrow(() => loadEnv({ ...origins, ...open, ...off, SVC_CACHE_REDIS_PREFIX: 'x' }))
})

const prefix = 'SVC_AUTHENTICATION_METHODS_OIDC_PROVIDERS'

const sections = `
authentication:
  methods:
    oidc:
      providers:
        corp:
          issuer_url: https://login.corp.example
          scopes: [groups]
          authorize_parameters: {prompt: login}
        Partner-1:
          issuer_url: https://id.partner.example
`

t.test('a named section has the defaults, and variables add to the file', async (t) => {
  const directory = t.testdir({ secret: 'a-client-secret' })
  const { providers } = loadText(directory, sections, {
    [`${prefix}_CORP_CLIENT_ID`]: 'flags',
    [`${prefix}_CORP_CLIENT_SECRET_FILE`]: `${directory}/secret`,
    [`${prefix}_MY_OWN_ISSUER_URL`]: 'https://own.example',
  }).authentication.methods.oidc
  t.strictSame(Object.keys(providers).sort(), ['corp', 'my_own', 'partner-1'])
  t.match(providers.corp, {
    issuerUrl: 'https://login.corp.example',
    clientId: 'flags',
    scopes: ['groups'],
    authorizeParameters: { prompt: 'login' },
    clientAuthentication: 'basic',
  })
  t.equal(providers.corp?.clientSecret?.reveal(), 'a-client-secret')
  t.match(providers['partner-1'], { scopes: ['email', 'profile'], authorizeParameters: {} })
  t.equal(providers.my_own?.issuerUrl, 'https://own.example')
})

t.test('teams are lists by organization', async (t) => {
  const codehost = 'authentication.methods.codehost'
  const fromFile = loadText(t.testdir(), `${codehost}:\n  allowed_teams:\n    acme: [core, ops]\n`)
  const fromEnv = loadEnv({
    SVC_AUTHENTICATION_METHODS_CODEHOST_ALLOWED_TEAMS_ACME: 'core ops',
  })
  for (const { authentication } of [fromFile, fromEnv]) {
    t.strictSame(authentication.methods.codehost.allowedTeams, { acme: ['core', 'ops'] })
  }
})
