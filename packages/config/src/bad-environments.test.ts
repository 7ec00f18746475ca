import t from 'tap'
import type { Environment } from './environment.ts'
import { loadEnv, loadText, problemsOf } from './loading.test.support.ts'

const once = 'as well. Keep one of the two.'
const level = 'log.level must be trace, debug, info, warn, error or fatal.'
const port = 'server.http_port must be a whole number from 0 to 65535.'
const database =
  'db.url must be a URL such as postgres://user:password@host:5432/name,' +
  ' with special characters in the password as %XX.'

const table: [Environment, ...string[]][] = [
  [{ SVC_LOG_LEVEL: 'loud' }, `SVC_LOG_LEVEL  ${level} Correct or unset SVC_LOG_LEVEL.`],
  [
    { LOG_LEVEL: 'loud' },
    `LOG_LEVEL  ${level} Correct LOG_LEVEL, or set SVC_LOG_LEVEL, which goes before it.`,
  ],
  [
    { PORT: 'tcp://10.0.0.1:80' },
    `PORT  ${port} Correct PORT, or set SVC_SERVER_HTTP_PORT, which goes before it.`,
  ],
  [
    { DATABASE_URL: 'sqlite:x' },
    `DATABASE_URL  ${database} Correct DATABASE_URL, or set SVC_DB_URL, which goes before it.`,
  ],
  // Names that do not exist
  [{ SVC_FOO: '' }, 'SVC_FOO  is not a setting. Unset it.'],
  [{ SVC_: '1' }, 'SVC_  is not a setting. Unset it.'],
  [{ SVC_TOKENS: 'x' }, 'SVC_TOKENS  is not a setting. Did you mean "SVC_BOOTSTRAP_TOKEN"?'],
  [{ SVC_LOG_LEVLE: 'x' }, 'SVC_LOG_LEVLE  is not a setting. Did you mean "SVC_LOG_LEVEL"?'],
  [
    { SVC_SERVER_PORT: '80' },
    'SVC_SERVER_PORT  is not a setting. Did you mean "SVC_SERVER_HTTP_PORT"?',
  ],
  [{ SVC_GATEWAY_PORT: '80' }, 'SVC_GATEWAY_PORT  is not a setting. Unset it.'],
  [{ SVC_DATABASE_URL: 'x' }, 'SVC_DATABASE_URL  is not a setting. Did you mean "SVC_DB_URL"?'],
  [{ SVC_REDIS_URL: 'x' }, 'SVC_REDIS_URL  is not a setting. Did you mean "SVC_CACHE_REDIS_URL"?'],
  [
    { SVC_TOKEN_CLEANUP_GRACE: '5m' },
    'SVC_TOKEN_CLEANUP_GRACE  is not a setting. Did you mean "SVC_TOKEN_CLEANUP_GRACE_PERIOD"?',
  ],
  [
    { SVC_AUTHENTICATION_EXCLUDE_OFREPP: 'true' },
    'SVC_AUTHENTICATION_EXCLUDE_OFREPP  is not a setting.' +
      ' Did you mean "SVC_AUTHENTICATION_EXCLUDE_OFREP"?',
  ],
  [
    { SVC_LOG_LEVEL_FILE: '/x' },
    'SVC_LOG_LEVEL_FILE  is not a setting: only secrets are read from files. Set SVC_LOG_LEVEL.',
  ],
  [
    { SVC_BOOTSTRAP_METADATA_: 'x' },
    'SVC_BOOTSTRAP_METADATA_  bootstrap.metadata must have keys of letters, digits or any of . _ / -.' +
      ' Correct or unset what begins with SVC_BOOTSTRAP_METADATA_.',
  ],
  [{ SVC_BOOTSTRAP_METADATA: 'x' }, 'SVC_BOOTSTRAP_METADATA  is not a setting. Unset it.'],
  [{ SVC_VERSION: '1.2.3' }, 'SVC_VERSION  version must be "1.0". Correct or unset SVC_VERSION.'],
  // Settings that are given twice
  [
    { SVC_CACHE_REDIS_URL: 'redis://h', SVC_CACHE_REDIS_URL_FILE: '/dev/null' },
    `SVC_CACHE_REDIS_URL_FILE  cache.redis.url is given by SVC_CACHE_REDIS_URL ${once}`,
    'SVC_CACHE_REDIS_URL_FILE  cache.redis.url must be a URL such as' +
      ' redis://:password@host:6379/0, with special characters in the password as %XX.' +
      ' Correct or unset SVC_CACHE_REDIS_URL_FILE.',
  ],
  [
    {
      SVC_BOOTSTRAP_TOKEN: 'aaaaaaaaaaaaaaaa',
      SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_TOKEN: 'bbbbbbbbbbbbbbbb',
    },
    'SVC_BOOTSTRAP_TOKEN  bootstrap.token is given by' +
      ` SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_TOKEN ${once}`,
  ],
  [
    {
      SVC_TOKEN_CLEANUP_INTERVAL: '1h',
      SVC_AUTHENTICATION_METHODS_TOKEN_CLEANUP_INTERVAL: '2h',
    },
    'SVC_TOKEN_CLEANUP_INTERVAL  token.cleanup.interval is given by' +
      ` SVC_AUTHENTICATION_METHODS_TOKEN_CLEANUP_INTERVAL ${once}`,
  ],
  // What cannot all be meant
  [
    { SVC_CORS_ENABLED: 'true' },
    'SVC_CORS_ENABLED  cors.enabled is true, but cors.allowed_origins lists none.' +
      ' List them there or in SVC_CORS_ALLOWED_ORIGINS.',
  ],
  [
    { SVC_BOOTSTRAP_LOG: 'false' },
    'SVC_BOOTSTRAP_LOG  bootstrap.log is false, but' +
      ' authentication.methods.token.bootstrap.token is not set: nobody could ever know the first' +
      ' token. Set the one or remove the other.',
  ],
  [
    { SVC_AUTHENTICATION_METHODS_TOKEN_ENABLED: 'false', SVC_BOOTSTRAP_FORCE: 'true' },
    'SVC_BOOTSTRAP_FORCE  bootstrap.force asks for a first token, but' +
      ' authentication.methods.token.enabled is false. Remove one of the two.',
  ],
]

for (const [env, ...problems] of table) {
  t.test(`refuses ${JSON.stringify(env).slice(0, 60)}`, async (t) => {
    t.strictSame(
      problemsOf(() => loadEnv(env)),
      problems,
    )
  })
}

t.test('reports the file and the environment together', async (t) => {
  const directory = t.testdir()
  const lines = problemsOf(() => loadText(directory, 'log:\n  a: 1', { SVC_FOO: '1' }), directory)
  t.strictSame(lines, [
    'config.yml:2:3  log.a is not a setting.',
    'SVC_FOO  is not a setting. Unset it.',
  ])
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
