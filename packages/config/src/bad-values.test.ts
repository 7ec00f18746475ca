import t from 'tap'
import { loadEnv, loadText, problemsOf } from './loading.test.support.ts'
import { settingByKey } from './setting-keys.ts'

interface Refusal {
  readonly key: string
  readonly wrong: string
  /** As they stand in the file. */
  readonly values: readonly string[]
}

const origin = 'must be an origin as browsers send it: scheme://host[:port], no path or final slash'
const postgres =
  'must be a URL such as postgres://user:password@host:5432/name,' +
  ' with special characters in the password as %XX'
const redis =
  'must be a URL such as redis://:password@host:6379/0,' +
  ' with special characters in the password as %XX'
const listen = 'must be host:port, such as 127.0.0.1:9001 or [::1]:9001'
const target = 'must be host:port, dns:///host:port or ipv4:address:port,address:port'
const aDuration = 'must be a duration such as 500ms, 30m or 1h30m'

const refusals: Refusal[] = [
  { key: 'version', wrong: 'must be "1.0"', values: ['"2.0"', '2', '1.1', '"1"', 'true', '[]'] },
  {
    key: 'log.level',
    wrong: 'must be trace, debug, info, warn, error or fatal',
    values: ['loud', 'warning', '3', '[info]', '""', '{a: b}', 'true'],
  },
  { key: 'log.encoding', wrong: 'must be json or console', values: ['xml', '1', '[]'] },
  {
    key: 'log.requests',
    wrong: 'must be true or false',
    values: ['maybe', '1', 'yes', '"on"', '[]', '{}', '2.5', '""', 'constructor'],
  },
  {
    key: 'authentication.session.idle_timeout',
    wrong: 'must be at least 5m',
    values: ['1s', '4m59s', '299999ms'],
  },
  {
    key: 'bootstrap.metadata',
    wrong: 'must hold "key: text" lines',
    values: ['[a]', '[]', '{a: [b]}', '{a: {b: c}}', '{a}', '{a: }', '"owner"'],
  },
  {
    key: 'bootstrap.metadata',
    wrong: 'must hold "key: text" lines, with the texts in quotes',
    values: ['{a: 1}', '{a: true}'],
  },
  {
    key: 'bootstrap.metadata',
    wrong: 'must have keys of letters, digits or any of . _ / -',
    values: ['{"a b": c}', '{"": c}', '{[a]: c}', '{é: c}'],
  },
  {
    key: 'bootstrap.metadata',
    wrong: 'must have at most 64 entries and 8192 bytes, none of them 0',
    values: [
      `{a: ${'x'.repeat(8192)}}`,
      '{a: "\\0"}',
      `{${Array.from({ length: 65 }, (_, i) => `k${i}: v`).join(', ')}}`,
    ],
  },
  {
    key: 'bootstrap.metadata',
    wrong: 'cannot bind the first token to a namespace: then it could not make others',
    values: ['{IO.svc.auth.token.namespace: shop}'],
  },
  { key: 'authentication.required', wrong: 'has no value', values: ['', '~', 'null'] },
  { key: 'authentication.exclude.ofrep', wrong: 'must be true or false', values: ['no', '0'] },
  {
    key: 'server.host',
    wrong: 'must be the name or IP address of an interface, without a port',
    values: ['""', 'http://a', 'a b', '10.0.0.300', '"1.2"', 'localhost:80', '[]', '-a', 'a..b/'],
  },
  {
    key: 'server.http_port',
    wrong: 'must be a whole number from 0 to 65535',
    values: ['65536', '-1', '80.5', 'http', '"80 81"', '[80]', '.nan', '.inf', 'true', '"1e3"'],
  },
  {
    key: 'auth.listen',
    wrong: listen,
    values: [
      ':9001',
      'localhost',
      '::1:9001',
      '"[::1:9001"',
      'a:99999',
      '"[a]:1"',
      'a:1:2',
      '"a:"',
    ],
  },
  {
    key: 'resource.listen',
    wrong: listen,
    values: ['dns:///a:1', 'unix:/a', '""', '10.0.0.300:1'],
  },
  { key: 'auth.listen', wrong: `${listen}, in quotes`, values: ['9001'] },
  {
    key: 'auth.address',
    wrong: target,
    values: ['127.0.0.1:0', 'http://auth:9001', 'auth', 'ipv4:127.0.0.1:1,', 'dns:a', '[]'],
  },
  {
    key: 'db.url',
    wrong: postgres,
    values: [
      'mysql://a/b',
      '""',
      'sqlite:x',
      'postgres:///svc',
      'postgres://u:p#w@h/d',
      'postgres://u:p%w@h/d',
      '"postgres://u:p w@h/d"',
      'postgres://u:p/w@h/d',
      '"postgres://h/d\\n"',
      'localhost:5432',
    ],
  },
  { key: 'db.url', wrong: `${postgres}, in quotes`, values: ['5', 'true'] },
  {
    key: 'db.max_connections',
    wrong: 'must be a whole number from 1 to 1000',
    values: ['0', '1e9', 'many', '-5'],
  },
  { key: 'db.auto_migrate', wrong: 'must be true or false', values: ['"no"'] },
  { key: 'cache.redis.url', wrong: redis, values: ['http://h', '{}', 'redis://', 'h:6379'] },
  {
    key: 'cache.redis.prefix',
    wrong: 'must be 1 to 64 letters, digits or any of . _ : -',
    values: ['a b', '""', '"*"', 'x'.repeat(65)],
  },
  { key: 'server.drain', wrong: aDuration, values: ['forever', '-1s', '""'] },
  {
    key: 'server.drain',
    wrong: 'must be 0s or more and at most 1h',
    values: ['61m', '1h1ms'],
  },
  {
    key: 'token.cleanup.interval',
    wrong: aDuration,
    values: ['-1h', '1d', '1 h', '""', 'soon', '[1h]', 'true', '1h1h', '"60"', '30m1h'],
  },
  {
    key: 'token.cleanup.interval',
    wrong: `${aDuration}, for a plain number lacks its unit`,
    values: ['60', '0', '1.5', '-1'],
  },
  {
    key: 'authentication.methods.token.cleanup.interval',
    wrong: 'must be more than 0 and at most 596h',
    values: ['0s', '0h0m', '0.4ms', '1ns', '597h'],
  },
  {
    key: 'token.cleanup.grace_period',
    wrong: 'must be more than 0 and at most 876000h',
    values: ['0s', '876001h', '999999999999999h'],
  },
  { key: 'bootstrap.token', wrong: 'must have at least 16 characters', values: ['short', '""'] },
  {
    key: 'bootstrap.token',
    wrong: 'must have at most 4096 characters',
    values: ['x'.repeat(4097)],
  },
  {
    key: 'bootstrap.token',
    wrong: 'must be visible ASCII characters, without spaces or line breaks',
    values: ['"with space in the middle"', '"line-break-at-the-end\\n"', 'grün-grün-grün-grün'],
  },
  { key: 'bootstrap.token', wrong: 'must be text, in quotes', values: ['1234567890123456'] },
  { key: 'bootstrap.token', wrong: 'must be text', values: ['[a]', '{}'] },
  {
    key: 'bootstrap.expiration',
    wrong: 'must be more than 0 and at most 876000h',
    values: ['0s', '0ms'],
  },
  { key: 'cors.allowed_origins', wrong: 'must be a list', values: ['{a: b}', 'true', '7'] },
  { key: 'cors.allowed_headers', wrong: 'must be a list', values: ['{}', '1'] },
]

for (const { key, wrong, values } of refusals) {
  t.test(`${key} ${wrong}`.slice(0, 60), async (t) => {
    const directory = t.testdir()
    const remedy = `Correct it here or set ${settingByKey.get(key)?.variable}.`
    const todo = wrong === 'has no value' ? 'Give it one or remove the line.' : remedy
    for (const value of values) {
      const text = `${key}: ${value}\n`
      const lines = problemsOf(() => loadText(directory, text), directory)
      t.strictSame(lines, [`config.yml:1:1  ${key} ${wrong}. ${todo}`], text.slice(0, 80))
    }
  })
}

t.test('what is wrong with an item of a list is said where the item is', async (t) => {
  const directory = t.testdir()
  const good = 'https://a.example'
  const bad = ['https://A.example', 'https://a.example:443', 'https://a/p', 'ftp://a', 'a.example']
  for (const item of [...bad, `${good}/`, '"null"', '7', '[x]', '""', 'https://a, https://b']) {
    const text = `cors:\n  allowed_origins:\n    - ${good}\n    - ${item}\n`
    t.strictSame(
      problemsOf(
        () => loadText(directory, text.replace('https://a, ', '{a: b, c: d} # ')),
        directory,
      ),
      [
        `config.yml:4:7  cors.allowed_origins[1] ${origin}.` +
          ' Correct it here or set SVC_CORS_ALLOWED_ORIGINS.',
      ],
      item,
    )
  }
  t.strictSame(
    problemsOf(() => loadText(directory, 'cors: {allowed_headers: [Accept, "X Y"]}'), directory),
    [
      'config.yml:1:34  cors.allowed_headers[1] must be the name of a header.' +
        ' Correct it here or set SVC_CORS_ALLOWED_HEADERS.',
    ],
  )
})

t.test('"*" as an origin is refused with the reason', async (t) => {
  t.strictSame(
    problemsOf(() => loadEnv({ SVC_CORS_ALLOWED_ORIGINS: 'https://a.example *' })),
    [
      'SVC_CORS_ALLOWED_ORIGINS  cors.allowed_origins[1] cannot be "*", for browsers send cookies' +
        ' along; list the origins instead. Correct or unset SVC_CORS_ALLOWED_ORIGINS.',
    ],
  )
})

t.test('variables are held to the same rules as the file', async (t) => {
  for (const { key, wrong, values } of refusals) {
    const variable = settingByKey.get(key)?.variable ?? ''
    // Brackets, quotes and words for nothing mean something in YAML only.
    for (const value of values.filter((value) => /^[\w%:/@.-]+$/.test(value))) {
      if (/in quotes|lacks|^must be a list|^has no/.test(wrong)) continue
      const [line, ...more] = problemsOf(() => loadEnv({ [variable]: value }))
      const long = settingByKey.get(key)?.key
      t.equal(line, `${variable}  ${long} ${wrong}. Correct or unset ${variable}.`, value)
      t.strictSame(more, [])
    }
  }
})
