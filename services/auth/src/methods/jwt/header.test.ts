import t from 'tap'
import { readHeader } from './header.ts'

const check = (header: object, type?: string) =>
  readHeader(new Map(Object.entries(header)), ['ES256', 'EdDSA'], type)
const reason = (name: string) => ({ code: 'unauthenticated', reason: `jwt_${name}` })

t.test('a header says which key to look for', async (t) => {
  t.strictSame(check({ alg: 'ES256' }), { algorithm: 'ES256', keyId: undefined })
  t.strictSame(check({ alg: 'Ed25519', kid: 'one' }), { algorithm: 'EdDSA', keyId: 'one' })
})

t.test('the reason of a refusal is what is wrong with it', async (t) => {
  const cases: readonly (readonly [header: object, reason: string])[] = [
    [{ alg: 'RS256' }, 'wrong_algorithm'],
    [{ alg: 'none' }, 'wrong_algorithm'],
    [{ alg: 'HS256' }, 'wrong_algorithm'],
    [{}, 'wrong_algorithm'],
    [{ alg: 'ES256', kid: 1 }, 'wrong_header'],
    [{ alg: 'ES256', kid: null }, 'wrong_header'],
    [{ alg: 'ES256', crit: ['b64'], b64: false }, 'wrong_header'],
    [{ alg: 'ES256', typ: 'logout+jwt' }, 'wrong_type'],
    [{ alg: 'ES256', typ: 7 }, 'wrong_type'],
  ]
  for (const [header, name] of cases) {
    t.throws(() => check(header), reason(name), JSON.stringify(header))
  }
})
