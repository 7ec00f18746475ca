import fc from 'fast-check'
import t from 'tap'
import { readCookies, readSessionCookie } from './cookies.ts'

const token = `svc_${'a'.repeat(43)}_${'b'.repeat(6)}`
const session = (...headers: readonly string[]) =>
  readSessionCookie(headers.flatMap((header) => ['Cookie', header]))

t.test('finds the cookie of a login among others', async (t) => {
  t.equal(session(`svc_client_token=${token}`), token)
  t.equal(session(`theme=dark; svc_client_token=${token};lang=en`), token)
  t.equal(session('theme=dark', `svc_client_token=${token}`), token)
  t.equal(session(`\t svc_client_token=${token} \t`), token)
  t.equal(session('svc_client_token=aGVsbG8='), 'aGVsbG8=')
  t.equal(readSessionCookie(['COOKIE', `svc_client_token=${token}`]), token)
})

t.test('finds none in what only looks like it', async (t) => {
  const names = ['Svc_client_token=x', 'svc_client_token2=x', 'xsvc_client_token=x']
  const pairs = ['svc_client_token', 'svc_client_token =x', 'a=svc_client_token=x']
  const quoted = ['=svc_client_token=x', '"svc_client_token"=x', 'svc_client_token%3Dx']
  for (const other of ['', ';', 'theme=dark', ...names, ...pairs, ...quoted])
    t.equal(session(other), undefined, other)
  t.equal(readSessionCookie(['X-Cookie', 'svc_client_token=x']), undefined)
  t.equal(readSessionCookie(['X', 'Cookie', 'svc_client_token=y', 'z']), undefined)
})

t.test('refuses several of them, wherever they are', async (t) => {
  const refused = { code: 'unauthenticated', reason: 'several_cookies' }
  t.throws(() => session('svc_client_token=a; svc_client_token=b'), refused)
  t.throws(() => session('svc_client_token=a; svc_client_token=a'), refused)
  t.throws(() => session('svc_client_token=a', 'svc_client_token=b'), refused)
  t.throws(() => session('svc_client_token=a; x=y; svc_client_token='), refused)
})

t.test('refuses what no client token looks like', async (t) => {
  const signs = ['a b', 'a,b', 'a"b', 'a\\b', 'a\u00e9', 'a\u0000', 'a%20b', `"${token}"`]
  const values = ['', '=', 'a===', 'a=b', 'aa.bb.cc', 'a'.repeat(4097), ...signs]
  const refused = { code: 'unauthenticated', reason: 'refused_cookie' }
  for (const value of values) t.throws(() => session(`svc_client_token=${value}`), refused, value)
})

t.test('refuses too many cookies', async (t) => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `c${i}=x`).join('; ')
  const refused = { code: 'invalid_argument', message: 'too many cookies' }
  t.equal(readCookies(['Cookie', many(50)]).length, 50)
  t.throws(() => readCookies(['Cookie', many(51)]), refused)
  t.throws(() => readCookies(['Cookie', many(26), 'Cookie', many(26)]), refused)
  t.equal(readCookies(['Cookie', `a=${'x'.repeat(8190)}`]).length, 1)
  t.throws(() => readCookies(['Cookie', `a=${'x'.repeat(8191)}`]), refused)
})

t.test('reads back every cookie that browsers may send', async (t) => {
  const name = fc.stringMatching(/^[A-Za-z0-9_.!#$%&'*+^`|~-]{1,20}$/)
  const value = fc.stringMatching(/^[!#-+\--:<-[\]-~]{0,40}$/)
  const cookies = fc.array(fc.record({ name, value }, { noNullPrototype: true }), { maxLength: 50 })
  fc.assert(
    fc.property(cookies, (sent) => {
      const text = sent.map(({ name, value }) => `${name}=${value}`).join('; ')
      t.strictSame(readCookies(['Cookie', text]), sent)
    }),
    { numRuns: 1000 },
  )
})
