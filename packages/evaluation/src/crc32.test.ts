import { crc32 as zlibCrc32 } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import { crc32 } from './crc32.ts'

t.test('the check value of the algorithm comes out, however the text is cut', async (t) => {
  for (let cut = 0; cut <= 9; cut++) {
    const before = crc32('123456789'.slice(0, cut))
    t.equal(crc32('123456789'.slice(cut), before), 0xcbf43926 | 0)
  }
})

t.test('it agrees with zlib over any two texts', async () => {
  const text = fc.oneof(
    fc.string(),
    // Lone surrogates among them
    fc.array(fc.nat({ max: 0xffff })).map((units) => String.fromCharCode(...units)),
    fc.array(fc.nat({ max: 0x10ffff })).map((points) => String.fromCodePoint(...points)),
  )
  fc.assert(
    fc.property(text, text, (first, second) => {
      const bytes = Buffer.concat([Buffer.from(first), Buffer.from(second)])
      return crc32(second, crc32(first)) === (zlibCrc32(bytes) | 0)
    }),
    { numRuns: 1000 },
  )
})
