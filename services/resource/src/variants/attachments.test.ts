import fc from 'fast-check'
import t from 'tap'
import { toAttachment } from './attachments.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const quoted = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`

t.test('removes insignificant white space and nothing else', async (t) => {
  const kept = [
    ['{ "b" : 1 ,\n\t"a" : [ 1 , 2 ] }', '{"b":1,"a":[1,2]}'],
    [' "two  words\\t" ', '"two  words\\t"'],
    ['{"a": 1, "a": 2}', '{"a":1,"a":2}'],
    ['[1.10, 1e400, -0, 12345678901234567890]', '[1.10,1e400,-0,12345678901234567890]'],
    ['{"q": "a \\" b \\\\", "r": " "}', '{"q":"a \\" b \\\\","r":" "}'],
    ['"\\u0000 \\ud800"', '"\\u0000 \\ud800"'],
    [' null ', 'null'],
    ['{"__proto__": 1}', '{"__proto__":1}'],
  ] as const
  for (const [sent, stored] of kept) t.equal(toAttachment(sent), stored)
})

t.test('gives the same whatever white space there was', async () => {
  const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r') })
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 7, '\t'), space, (value, indent, around) => {
      const loose = around + JSON.stringify(value, null, indent) + around
      return toAttachment(loose) === JSON.stringify(value)
    }),
  )
})

t.test('takes no attachment for none', async (t) => {
  t.equal(toAttachment(''), '')
})

t.test('refuses what is no JSON', async (t) => {
  const refused = { message: 'invalid field attachment: must be a json string' }
  for (const text of [' ', '{a:1}', "'a'", '{"a":1}{}', '[1,]', 'NaN', '"\t"', '\ufeff{}']) {
    t.throws(() => toAttachment(text), refused, JSON.stringify(text))
  }
})

t.test('takes 1,024,000 bytes and not one more', async (t) => {
  t.equal(toAttachment(quoted(1_024_000)).length, 1_024_000)
  const refused = { message: 'invalid field attachment: must be less than 1000 KB' }
  t.throws(() => toAttachment(quoted(1_024_001)), refused)
})

t.test('counts bytes, and those that are stored', async (t) => {
  t.equal(toAttachment(`${' '.repeat(1_000_000)}${quoted(1_024_000)}`).length, 1_024_000)
  t.throws(() => toAttachment(`"${'é'.repeat(512_000)}"`), { message: /less than 1000 KB/ })
})

t.test('takes 64 levels and not one more', async (t) => {
  t.equal(toAttachment(nested(64)), nested(64))
  const message = 'invalid field attachment: must not be nested deeper than 64 levels'
  t.throws(() => toAttachment(nested(65)), { message })
  t.throws(() => toAttachment(`{"a":${nested(64)}}`), { message })
  t.throws(() => toAttachment(nested(500_000)), { message })
  t.equal(toAttachment(`"${'['.repeat(65)}"`).length, 67)
})
