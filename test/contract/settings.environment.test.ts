import { writeFileSync } from 'node:fs'
import { authSettings } from '@svc/auth/settings'
import t from 'tap'
import { loadEnv, problemsOf } from '../support/settings.ts'

t.test('no two settings share a variable, and none is taken for a foreign one', async (t) => {
  const names = authSettings.index.settings.flatMap(({ variable }) => variable ?? [])
  t.equal(new Set(names).size, names.length)
  const env = Object.fromEntries(names.map((name) => [name, '']))
  t.strictSame(
    problemsOf(() => loadEnv(env)),
    [],
  )
})

t.test('an empty variable is one that is not set', async (t) => {
  t.strictSame(
    loadEnv({ SVC_LOG_LEVEL: '', SVC_DB_URL: '', PORT: '', SVC_CONFIG: '' }),
    loadEnv({}),
  )
})

t.test('variables of other programs are ignored', async (t) => {
  const env = {
    SVC_TOKEN: 'x',
    SVC_URL: 'x',
    SVC_TEST_DATABASE_URL: 'x',
    SVC_TEST_ANYTHING: 'x',
    // What Kubernetes adds for Services named svc, svc-gateway and svc-auth
    SVC_SERVICE_HOST: '10.0.0.1',
    SVC_SERVICE_PORT: '80',
    SVC_SERVICE_PORT_HTTP: '80',
    SVC_PORT: 'tcp://10.0.0.1:80',
    SVC_PORT_80_TCP: 'tcp://10.0.0.1:80',
    SVC_PORT_80_TCP_PROTO: 'tcp',
    SVC_PORT_80_TCP_PORT: '80',
    SVC_PORT_80_TCP_ADDR: '10.0.0.1',
    SVC_GATEWAY_SERVICE_HOST: '10.0.0.1',
    SVC_GATEWAY_SERVICE_PORT: '80',
    SVC_GATEWAY_PORT: 'udp://10.0.0.1:80',
    SVC_AUTH_PORT_9001_TCP_ADDR: '10.0.0.1',
    OTHER: 'x',
  }
  t.strictSame(loadEnv(env), loadEnv({}))
  // What docker-compose.yml takes: the port that it publishes and where, and how many gateways
  const compose = { SVC_PORT: '9090', SVC_BIND: '0.0.0.0', SVC_GATEWAYS: '3' }
  t.strictSame(loadEnv(compose), loadEnv({}))
})

t.test('our own variables go before those of platforms', async (t) => {
  const own = { SVC_SERVER_HTTP_PORT: '81', SVC_DB_URL: 'postgres://own/x' }
  const usual = { PORT: 'nonsense', DATABASE_URL: 'nonsense', REDIS_URL: 'redis://usual' }
  const { server, db, cache } = loadEnv({ ...usual, ...own })
  t.equal(server.httpPort, 81)
  t.equal(db.url?.reveal(), 'postgres://own/x')
  t.equal(cache.redis.url?.reveal(), 'redis://usual')
})

t.test('a secret can be read from a file, less one line break at its end', async (t) => {
  const directory = t.testdir()
  const path = `${directory}/secret`
  const read = () => loadEnv({ SVC_BOOTSTRAP_TOKEN_FILE: path }).authentication.methods.token
  for (const end of ['', '\n', '\r\n']) {
    writeFileSync(path, `first-token-of-all${end}`)
    t.equal(read().bootstrap.token?.reveal(), 'first-token-of-all')
  }
  writeFileSync(path, 'first-token-of-all\n\n')
  t.match(problemsOf(read)[0], /bootstrap.token must be visible ASCII/)
})

t.test('a secret file that cannot be used is refused without its value', async (t) => {
  const directory = t.testdir({ empty: '', large: 'x'.repeat(65 * 1024), binary: '' })
  writeFileSync(`${directory}/binary`, Buffer.from([0xff, 0xfe, 0x00]))
  const table: Record<string, string> = {
    'canary-that-was-meant-for-the-other-variable': 'from a file that does not exist',
    [`${directory}/empty/canary`]: 'from a file that does not exist',
    [directory]: 'from a file that is a directory',
    [`${directory}/large`]: 'from a file that is too large',
    '/dev/zero': 'from a file that is too large',
    [`${directory}/binary`]: 'from a file that is not text in UTF-8',
  }
  for (const [path, wrong] of Object.entries(table)) {
    t.strictSame(
      problemsOf(() => loadEnv({ SVC_DB_URL_FILE: path })),
      [`SVC_DB_URL_FILE  db.url is to be read ${wrong}. Correct or unset SVC_DB_URL_FILE.`],
    )
  }
  t.match(problemsOf(() => loadEnv({ SVC_DB_URL_FILE: `${directory}/empty` }))[0], /must be a URL/)
})
