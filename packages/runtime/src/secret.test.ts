import { format, inspect } from 'node:util'
import t from 'tap'
import { Secret } from './secret.ts'

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
