import t from 'tap'
import { readCredential } from './credential.ts'

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
