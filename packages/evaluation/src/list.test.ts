import t from 'tap'
import { numberPredicate } from './number.ts'
import { textPredicate } from './text.ts'

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
