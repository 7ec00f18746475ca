import { Socket } from 'node:net'
import t from 'tap'
import { hashToken, readCredential } from './credential.ts'

const refused = { code: 'unauthenticated', message: 'request was not authenticated' }
const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjaSJ9.c2ln'
const cookie = 'svc_client_token=fromCookie'

const find = (rawHeaders: string[], acceptsJwt: boolean, socket = new Socket()) =>
  readCredential({ rawHeaders, socket }, acceptsJwt)

/** What is found in an `Authorization` header, with the JWT method on or off. */
const read = (header: string, acceptsJwt = false) =>
  find(['Host', 'x', 'Authorization', header, 'Cookie', cookie], acceptsJwt)

t.test('reads a bearer token, whatever the case of scheme and header', async (t) => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    for (const name of ['Authorization', 'authorization', 'AUTHORIZATION']) {
      t.match(find([name, `${scheme} abc`], false), { token: 'abc', carrier: 'header' })
    }
  }
  t.match(read(`Bearer ${'a'.repeat(4096)}`), { carrier: 'header' })
  t.match(read('Bearer !"#$%&~'), { token: '!"#$%&~' })
})

t.test('reads the cookie of a login where there is no header', async (t) => {
  const found = find(['Host', 'x', 'Cookie', cookie], false)
  t.match(found, { token: 'fromCookie', carrier: 'cookie', tokenHash: hashToken('fromCookie') })
})

t.test('finds nothing in a request without either', async (t) => {
  t.equal(find(['Host', 'x', 'Accept', '*/*', 'Cookie', 'theme=dark'], false), undefined)
})

t.test('refuses what cannot be a credential, and never looks for a cookie then', async (t) => {
  const spaces = ['', ' ', 'Bearer ', 'Bearer  abc', 'Bearer abc ', 'Bearer a b', ' Bearer abc']
  const schemes = ['Basic YTpi', 'Digest username="a"', 'Token abc', 'B\u00e9arer abc']
  const several = ['Bearer abc, Bearer def', 'Basic YTpi, Bearer abc']
  const separators = ['Bearer', 'abc', 'Bearerabc', 'Bearer:abc', 'Bearer=abc', 'Bearer\tabc']
  const signs = ['Bearer\u00a0abc', 'Bearer ab\u00e9', 'Bearer ab\u0000', 'Bearer \u200babc']
  const jwts = ['JWT', 'JWT ', 'JWT abc', `JWT ${jwt}`, `JWT  ${jwt}`]
  const long = `Bearer ${'a'.repeat(4097)}`
  const headers = [spaces, schemes, several, separators, signs, jwts, long].flat()
  for (const header of headers) t.throws(() => read(header), refused, JSON.stringify(header))
  // One text without a space, which no token is; auth says so.
  t.match(read('Bearer abc,def'), { token: 'abc,def' })
})

t.test('with the JWT method on', async (t) => {
  await t.test('reads what has the shape of a JWT by either scheme', async (t) => {
    for (const scheme of ['Bearer', 'bearer', 'JWT', 'jwt', 'Jwt']) {
      t.match(read(`${scheme} ${jwt}`, true), { token: jwt, carrier: 'header' })
    }
    const long = `${'a'.repeat(8186)}.bb.cc`
    t.match(read(`JWT ${long}`, true), { token: long })
    t.match(read(`Bearer ${long}`, true), { token: long })
  })

  await t.test('still reads client tokens', async (t) => {
    t.match(read('Bearer abc', true), { token: 'abc' })
    t.match(read('Bearer aa.bb', true), { token: 'aa.bb' })
  })

  await t.test('refuses the scheme JWT for anything else', async (t) => {
    const others = ['', 'abc', 'aa.bb', `${jwt}.`, `${jwt}=`, `${jwt} `, `a${jwt}.x`]
    for (const other of others) t.throws(() => read(`JWT ${other}`, true), refused, other)
    t.throws(() => read(`JWT ${'a'.repeat(8187)}.bb.cc`, true), refused)
    t.throws(() => read(`Bearer ${'a'.repeat(8187)}.bb.cc`, true), refused)
  })
})

t.test('refuses two headers, even equal ones', async (t) => {
  const twice = ['Authorization', 'Bearer a', 'authorization', 'Bearer a']
  t.throws(() => find(twice, false), { code: 'invalid_argument' })
})

t.test('a token is known by its hash, whatever the connection sent before', async (t) => {
  const socket = new Socket()
  const hashOf = (header: string, by = socket) =>
    find(['Authorization', header], false, by)?.tokenHash
  for (const token of ['a', 'a', 'b', 'b', 'a']) {
    t.equal(hashOf(`Bearer ${token}`), hashToken(token))
    t.equal(hashOf(`bearer ${token}`), hashToken(token))
    t.equal(hashOf(`Bearer ${token}`, new Socket()), hashToken(token))
  }
  t.equal(find(['Accept', '*/*'], false, socket), undefined)
  t.equal(find(['Cookie', cookie], false, socket)?.tokenHash, hashToken('fromCookie'))
  t.throws(() => hashOf('Bearer a b'), refused)
  t.throws(() => hashOf('Bearer a b'), refused, 'a second time')
  t.equal(hashOf('Bearer a'), hashToken('a'))
  const twice = ['Authorization', 'Bearer a', 'authorization', 'Bearer a']
  t.throws(() => find(twice, false, socket), { code: 'invalid_argument' })
})
