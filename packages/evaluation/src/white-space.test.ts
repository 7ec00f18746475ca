import fc from 'fast-check'
import t from 'tap'
import { isBlank, trim } from './white-space.ts'

t.test('exactly the characters with the Unicode property White_Space are taken off', async (t) => {
  const wrong = []
  for (let unit = 0; unit <= 0xffff; unit++) {
    const character = String.fromCharCode(unit)
    const isSpace = /\p{White_Space}/u.test(character)
    const trimmed = trim(`${character}a${character}`)
    if (isBlank(character) !== isSpace || (trimmed === 'a') !== isSpace) wrong.push(unit)
  }
  t.strictSame(wrong, [])
})

t.test('only the ends are trimmed', async (t) => {
  t.equal(trim('\u2003 a b\u00a0\n'), 'a b')
  t.equal(trim('a b'), 'a b')
  t.equal(trim('\ufeff'), '\ufeff')
  t.equal(trim(' \t '), '')
  t.equal(trim(''), '')
})

t.test('a blank text is one of which trimming leaves nothing', async () => {
  const text = fc.string({ unit: fc.constantFrom(' ', '\u00a0', '\u0085', '\ufeff', 'a') })
  fc.assert(fc.property(text, (value) => isBlank(value) === (trim(value) === '')))
})
