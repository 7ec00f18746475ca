import t from 'tap'
import { hashToken, readCredential, recallCredential } from './credential.ts'

const refused = { code: 'unauthenticated', message: 'request was not authenticated' }

t.test('reads a bearer token, whatever the case of scheme and header', async (t) => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    t.equal(readCredential(['Host', 'x', 'authorization', `${scheme} abc`]), 'abc')
  }
})

t.test('finds nothing in a request without the header', async (t) => {
  t.equal(readCredential(['Host', 'x', 'Accept', '*/*']), undefined)
})

t.test('refuses what cannot be a client token', async (t) => {
  const headers = [
    '',
    'Bearer',
    'Bearer ',
    'Bearer  abc',
    'Bearer abc ',
    'Bearer a b',
    'Bearer abc, Bearer def',
    'Basic YTpi',
    'abc',
    'Bearer\tabc',
    'Bearer ab\u00e9',
    `Bearer ${'a'.repeat(4097)}`,
  ]
  for (const header of headers) {
    t.throws(() => readCredential(['Authorization', header]), refused, JSON.stringify(header))
  }
})

t.test('refuses two headers, even equal ones', async (t) => {
  const twice = ['Authorization', 'Bearer a', 'authorization', 'Bearer a']
  t.throws(() => readCredential(twice), { code: 'invalid_argument' })
})

t.test('a token is known by its hash, whatever the connection sent before', async (t) => {
  const connection = {}
  const read = (header: string, by: object = connection) =>
    recallCredential(['Authorization', header], by)?.tokenHash
  for (const token of ['a', 'a', 'b', 'b', 'a']) {
    t.equal(read(`Bearer ${token}`), hashToken(token))
    t.equal(read(`bearer ${token}`), hashToken(token))
    t.equal(read(`Bearer ${token}`, {}), hashToken(token))
  }
  t.equal(recallCredential(['Accept', '*/*'], connection), undefined)
  t.throws(() => read('Bearer a b'), refused)
  t.throws(() => read('Bearer a b'), refused, 'once more')
  t.equal(read('Bearer a'), hashToken('a'))
  const twice = ['Authorization', 'Bearer a', 'authorization', 'Bearer a']
  t.throws(() => recallCredential(twice, connection), { code: 'invalid_argument' })
})
