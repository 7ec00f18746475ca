import fc from 'fast-check'
import t from 'tap'
import { toMetadata } from './claims.ts'

t.test('keeps the claims of a person, under the names of the interface', async (t) => {
  const claims = {
    ...{ iss: 'https://a.example', aud: 'flags', sub: '248289', exp: 1, iat: 1, nonce: 'n' },
    ...{ email: 'ada@example.com', email_verified: true, name: 'Ada', picture: 'https://a/p' },
    ...{ profile: 'https://a/ada', groups: ['admins'], department: 'engines' },
  }
  t.strictSame(toMetadata('acme', claims, []), {
    'io.svc.auth.oidc.provider': 'acme',
    'io.svc.auth.oidc.sub': '248289',
    'io.svc.auth.oidc.email': 'ada@example.com',
    'io.svc.auth.oidc.email_verified': 'true',
    'io.svc.auth.oidc.name': 'Ada',
    'io.svc.auth.oidc.profile': 'https://a/ada',
    'io.svc.auth.oidc.picture': 'https://a/p',
    'io.svc.auth.email': 'ada@example.com',
    'io.svc.auth.name': 'Ada',
    'io.svc.auth.picture': 'https://a/p',
  })
  t.equal(
    toMetadata('acme', claims, ['groups', 'unheard-of'])['io.svc.auth.claims'],
    '{"groups":["admins"]}',
    'and of all else what is asked for',
  )
})

t.test('takes an e-mail address for verified only when the provider says so', async (t) => {
  const verified = (email_verified: unknown) =>
    toMetadata('acme', { email: 'a@b', email_verified }, [])['io.svc.auth.oidc.email_verified']
  t.equal(verified(true), 'true')
  for (const odd of [false, 'true', 'false', 1, null, {}, []]) t.equal(verified(odd), 'false')
  t.equal(verified(undefined), undefined)
})

t.test('keeps texts only, none without end, and none that cannot be stored', async (t) => {
  for (const odd of [1, true, null, {}, [], '', 'a'.repeat(1025), 'a\0b', 'a\ud800b']) {
    const claims = { name: odd, email: odd, picture: odd, profile: odd }
    t.strictSame(toMetadata('acme', claims, []), { 'io.svc.auth.oidc.provider': 'acme' })
  }
  t.match(toMetadata('acme', { email: 'a'.repeat(254) }, []), { 'io.svc.auth.email': /^a+$/ })
  t.notOk('io.svc.auth.email' in toMetadata('acme', { email: 'a'.repeat(255) }, []))
  const many = { groups: Array.from({ length: 1000 }, (_, index) => `group-${index}`) }
  t.notOk('io.svc.auth.claims' in toMetadata('acme', many, ['groups']))
})

t.test('reads what the provider said and not what every object has', async (t) => {
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'email', 'name', 'sub']
  t.strictSame(toMetadata('acme', {}, names), { 'io.svc.auth.oidc.provider': 'acme' })
  const claims = JSON.parse('{"__proto__":{"email":"evil@example.com"},"еmail":"evil@example.com"}')
  t.strictSame(toMetadata('acme', claims, []), { 'io.svc.auth.oidc.provider': 'acme' })
  t.equal(({} as Record<string, unknown>).email, undefined)
})

t.test('sets nothing else, whatever the provider says', async (t) => {
  const known =
    /^io\.svc\.auth\.(oidc\.(provider|sub|email|email_verified|name|profile|picture)|email|name|picture|claims)$/
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (claims) => {
      const metadata = toMetadata('acme', claims, Object.keys(claims))
      const isKnown = Object.keys(metadata).every((key) => known.test(key))
      return isKnown && Object.values(metadata).every((value) => value.isWellFormed())
    }),
    { numRuns: 1000 },
  )
  t.pass()
})
