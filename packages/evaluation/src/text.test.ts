import t from 'tap'
import { textPredicate } from './text.ts'

t.test('an empty value satisfies nothing but emptiness, negative operators included', async (t) => {
  for (const operator of ['eq', 'neq', 'prefix', 'suffix', 'contains', 'notcontains']) {
    t.equal(textPredicate(operator, 'a')?.(''), false, operator)
    t.equal(textPredicate(operator, '')?.(''), false, operator)
  }
})

t.test('operators of other types make nothing', async (t) => {
  for (const operator of ['gt', 'present', 'EQ', '', 'constructor', '__proto__']) {
    t.equal(textPredicate(operator, 'a'), undefined, operator)
  }
})
