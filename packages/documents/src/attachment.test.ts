import fc from 'fast-check'
import t from 'tap'
import { compactAttachment } from './attachment.ts'

const textOf = (text: string) => compactAttachment(text)?.text

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
  for (const [sent, stored] of kept) t.equal(textOf(sent), stored)
})

t.test('gives the same whatever white space there was', async () => {
  const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r') })
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 7, '\t'), space, (value, indent, around) => {
      const loose = around + JSON.stringify(value, null, indent) + around
      return textOf(loose) === JSON.stringify(value)
    }),
  )
})

t.test('says how deep it is nested', async (t) => {
  t.equal(compactAttachment('"[["')?.depth, 0)
  t.equal(compactAttachment('[{"a": []}, 1]')?.depth, 3)
  t.equal(compactAttachment('[}'), undefined)
})
