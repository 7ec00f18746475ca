import fc from 'fast-check'
import t from 'tap'
import { crc32 } from './crc32.ts'
import { joinCrc32, shiftBy } from './crc32-join.ts'

t.test('joining gives the CRC of both texts, whatever their lengths', async () => {
  const text = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.array(fc.nat({ max: 0x10ffff })).map((points) => String.fromCodePoint(...points)),
  )
  fc.assert(
    fc.property(text, text, (first, second) => {
      const joined = joinCrc32(crc32(first), crc32(second), shiftBy(second))
      return joined === crc32(first + second)
    }),
  )
})

t.test('texts of one length share their shift, those longer than any key excepted', async (t) => {
  t.equal(shiftBy('abc'), shiftBy('xyz'))
  t.equal(shiftBy('ab\u00fc'), shiftBy('wxyz'), 'lengths are in bytes')
  t.not(shiftBy('abc'), shiftBy('abcd'))
  const long = 'k'.repeat(256)
  t.not(shiftBy(long), shiftBy(long))
})
