import { format, inspect } from 'node:util'
import t from 'tap'
import { redactedSettings, redactUrl, Secret } from './secret.ts'

t.test('no way of printing shows a secret', async (t) => {
  const secret = new Secret('canary')
  const printed = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect({ secret }, { depth: 9, showHidden: true }),
    format('%s %o %O %j', secret, secret, secret, secret),
    JSON.stringify(Object.entries(secret)),
    JSON.stringify(structuredClone(secret)),
    inspect(new Error('failed', { cause: secret })),
  ]
  for (const text of printed) t.notMatch(text, 'canary')
  t.equal(JSON.stringify({ secret }), '{"secret":"[secret]"}')
  t.equal(secret.reveal(), 'canary')
})

t.test('a URL is shown without its user, password and query', async (t) => {
  const table = {
    'postgres://svc:canary@db:5432/svc': 'postgres://[secret]@db:5432/svc',
    'redis://canary@cache': 'redis://[secret]@cache',
    'rediss://:canary@[::1]:6379/0': 'rediss://[secret]@[::1]:6379/0',
    'postgres://db/svc?password=canary&sslmode=require': 'postgres://db/svc',
    'postgres://db:5432/svc': 'postgres://db:5432/svc',
    canary: '[secret]',
  }
  for (const [url, shown] of Object.entries(table)) t.equal(redactUrl(url), shown)
})

t.test('settings are shown without their secrets', async (t) => {
  const settings = {
    db: { url: new Secret('postgres://a:canary@db/svc', 'postgres://[secret]@db/svc') },
    token: new Secret('canary'),
    list: ['a'],
    interval: 5,
    missing: undefined,
  }
  t.strictSame(redactedSettings(settings), {
    db: { url: 'postgres://[secret]@db/svc' },
    token: '[secret]',
    list: ['a'],
    interval: 5,
    missing: undefined,
  })
})
