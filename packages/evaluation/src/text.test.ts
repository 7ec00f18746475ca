import t from 'tap'
import { textPredicate } from './text.ts'

t.test('texts compare as the table of operators says', async (t) => {
  const truths: readonly (readonly [string, string, string, boolean])[] = [
    ['eq', 'Pro', 'Pro', true],
    ['eq', 'Pro', 'pro', false],
    ['eq', 'pro', ' pro', false],
    ['neq', 'Pro', 'pro', true],
    ['neq', 'Pro', 'Pro', false],
    ['empty', '', '', true],
    ['empty', '', ' \u2003', true],
    ['empty', '', '\ufeff', false],
    ['empty', '', 'a', false],
    ['notempty', '', 'a', true],
    ['notempty', '', '\u0085', false],
    ['prefix', 'ab', ' abc ', true],
    ['prefix', 'b', 'abc', false],
    ['prefix', ' a', ' abc', false],
    ['prefix', 'ab ', 'ab ', false],
    ['suffix', 'bc', '\u00a0abc\n', true],
    ['suffix', 'b', 'abc', false],
    ['suffix', ' a', ' a', false],
    ['contains', 'b', 'abc', true],
    ['contains', ' a', ' abc', true],
    ['contains', 'B', 'abc', false],
    ['notcontains', 'B', 'abc', true],
    ['notcontains', ' ', ' abc', false],
    ['contains', '\u{1f600}', 'a\u{1f600}b', true],
  ]
  for (const [operator, operand, value, expected] of truths) {
    const holds = textPredicate(operator, operand)
    t.equal(holds?.(value), expected, JSON.stringify([value, operator, operand]))
  }
})

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
