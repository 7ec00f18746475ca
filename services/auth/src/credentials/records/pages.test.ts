import fc from 'fast-check'
import t from 'tap'
import { formatPageToken, parsePageToken } from './pages.ts'

t.test('what was formatted parses to the same position', async () => {
  fc.assert(
    fc.property(
      fc.maxSafeNat(),
      (position) => parsePageToken(formatPageToken(position)) === position,
    ),
  )
})

t.test('anything else begins at the beginning', async (t) => {
  const large = Buffer.from('after 99999999999999999999').toString('base64url')
  for (const token of ['', 'Hello World', '25', '-1', 'e30=', large]) {
    t.equal(parsePageToken(token), 0, token)
  }
  fc.assert(fc.property(fc.string(), (token) => parsePageToken(token) >= 0))
})
