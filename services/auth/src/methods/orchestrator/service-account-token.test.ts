import t from 'tap'
import { readAudiences, readExpiry } from './service-account-token.ts'

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const tokenOf = (claims: unknown) => `${encode({ alg: 'RS256' })}.${encode(claims)}.c2lnbmF0dXJl`

t.test('reads when a token expires', async (t) => {
  t.equal(readExpiry(tokenOf({ exp: 1_900_000_000 })), 1_900_000_000)
  t.equal(readExpiry(tokenOf({ exp: 1_900_000_000.5 })), 1_900_000_000.5)
})

t.test('takes nothing for a token that is none, or never expires', async (t) => {
  const good = tokenOf({ exp: 1_900_000_000 })
  const bad: Readonly<Record<string, string>> = {
    nothing: '',
    'a word': 'abc',
    'two parts': good.split('.').slice(0, 2).join('.'),
    'four parts': `${good}.abc`,
    'an empty part': good.replace(/\.[^.]+\./, '..'),
    'no signature': `${good.split('.').slice(0, 2).join('.')}.`,
    padding: `${good}==`,
    'a space': `${good} `,
    'a line break': `${good}\n`,
    'plain base64': good.replace(/.$/, '+'),
    'a client token': `svc_${'a'.repeat(43)}_abcdef`,
    'a scheme before it': `Bearer ${good}`,
    'no JSON': tokenOf('{"exp":'),
    'too long': tokenOf({ exp: 1_900_000_000, padding: 'x'.repeat(7000) }),
  }
  for (const [what, token] of Object.entries(bad)) t.equal(readExpiry(token), undefined, what)
  const claims = [
    ...['[1]', '"exp"', 'null', '{"sub":"a"}', '{"exp":"1900000000"}', '{"exp":null}', '{"exp":0}'],
    ...['{"exp":[1900000000]}', '{"exp":-1}', '{"exp":253402300800}', '{"exp":1e999}'],
  ]
  for (const text of claims) t.equal(readExpiry(tokenOf(text)), undefined, text)
})

t.test('reads for whom a token is made', async (t) => {
  t.strictSame(readAudiences(tokenOf({ aud: 'a' })), ['a'])
  t.strictSame(readAudiences(tokenOf({ aud: ['a', 'b', 3] })), ['a', 'b'])
  t.strictSame(readAudiences(tokenOf({})), [])
  t.strictSame(readAudiences('opaque'), [])
})
