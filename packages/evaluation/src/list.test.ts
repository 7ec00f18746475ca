import t from 'tap'
import { numberPredicate } from './number.ts'
import { textPredicate } from './text.ts'

t.test('lists are JSON arrays of elements of one type', async (t) => {
  const texts: [list: string, value: string, isIn: boolean][] = [
    ['["a", "b", "a"]', 'a', true],
    ['["a", "b"]', 'B', false],
    ['["a", "b"]', ' b', false],
    [' \n[ "\\u00fc" ]\t', 'ü', true],
    ['[]', 'a', false],
    ['null', 'a', false],
    ['["a", null]', 'a', true],
  ]
  const numbers: typeof texts = [
    ['[1, 1000.0, -2e3]', '-2000', true],
    ['[1, 2.5]', '25e-1', true],
    ['[1, 2.5]', '2', false],
    ['[0]', '-0', true],
    ['[1, null]', '0', true],
    ['null', '0', false],
  ]
  for (const [predicate, table] of [
    [textPredicate, texts],
    [numberPredicate, numbers],
  ] as const) {
    for (const [list, value, isIn] of table) {
      t.equal(predicate('isoneof', list)?.(value), isIn, `${value} in ${list}`)
      t.equal(predicate('isnotoneof', list)?.(value), !isIn, `${value} not in ${list}`)
    }
  }
})

t.test('what is no element is neither in a list nor outside of it', async (t) => {
  for (const operator of ['isoneof', 'isnotoneof']) {
    t.equal(textPredicate(operator, '["", null, "a"]')?.(''), false)
    for (const value of ['', 'abc', 'NaN']) {
      t.equal(numberPredicate(operator, '[1]')?.(value), false, `${value} ${operator} [1]`)
    }
  }
})

t.test('anything else makes nothing', async (t) => {
  const texts = ['', 'a', '"a"', '["a"', '["a"],', '{}', '["a", 1]', '[["a"]]', '[true]', '[1]']
  const numbers = ['', '1', '["1"]', '[1, "2"]', '[.5]', '[1e400]', '[NaN]', '[false]', '[[]]']
  for (const operator of ['isoneof', 'isnotoneof']) {
    for (const list of texts) t.equal(textPredicate(operator, list), undefined, list)
    for (const list of numbers) t.equal(numberPredicate(operator, list), undefined, list)
  }
})
