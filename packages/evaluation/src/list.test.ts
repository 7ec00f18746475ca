import t from 'tap'
import { parseNumberList } from './number.ts'
import { parseTextList } from './text.ts'

t.test('a list of texts is a JSON array of strings', async (t) => {
  t.strictSame(parseTextList('["a", "b", "a"]'), new Set(['a', 'b']))
  t.strictSame(parseTextList(' \n[ "\\u00fc" ]\t'), new Set(['ü']))
  t.strictSame(parseTextList('[]'), new Set())
})

t.test('null stands for the empty list, or for an empty element', async (t) => {
  t.strictSame(parseTextList('null'), new Set())
  t.strictSame(parseTextList('["a", null]'), new Set(['a', '']))
  t.strictSame(parseNumberList('null'), new Set())
  t.strictSame(parseNumberList('[1, null]'), new Set([1, 0]))
})

t.test('anything else is no list of texts', async (t) => {
  for (const text of ['', 'a', '"a"', '["a"', '["a"],', '{}', '["a", 1]', '[["a"]]', '[true]']) {
    t.equal(parseTextList(text), undefined, text)
  }
})

t.test('a list of numbers is a JSON array of numbers', async (t) => {
  t.strictSame(parseNumberList('[1, 1000.0, -2e3]'), new Set([1, 1000, -2000]))
})

t.test('anything else is no list of numbers', async (t) => {
  for (const text of [
    '',
    '1',
    '["1"]',
    '[1, "2"]',
    '[.5]',
    '[1e400]',
    '[NaN]',
    '[false]',
    '[[]]',
  ]) {
    t.equal(parseNumberList(text), undefined, text)
  }
})
