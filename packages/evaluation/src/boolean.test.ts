import t from 'tap'
import { booleanPredicate } from './boolean.ts'

t.test('six spellings of true and six of false are known', async (t) => {
  for (const value of ['1', 't', 'T', 'TRUE', 'true', 'True']) {
    t.equal(booleanPredicate('true')?.(value), true, value)
    t.equal(booleanPredicate('false')?.(value), false, value)
  }
  for (const value of ['0', 'f', 'F', 'FALSE', 'false', 'False']) {
    t.equal(booleanPredicate('true')?.(value), false, value)
    t.equal(booleanPredicate('false')?.(value), true, value)
  }
})

t.test('any other text is neither', async (t) => {
  for (const value of ['', 'tRUE', 'yes', 'no', ' true', 'true ', '2', '00', 'constructor']) {
    t.equal(booleanPredicate('true')?.(value), false, value)
    t.equal(booleanPredicate('false')?.(value), false, value)
  }
})

t.test('presence is about the text, boolean or not', async (t) => {
  t.equal(booleanPredicate('present')?.('yes'), true)
  t.equal(booleanPredicate('present')?.('\u2003'), false)
  t.equal(booleanPredicate('notpresent')?.('\u2003'), true)
  t.equal(booleanPredicate('notpresent')?.('yes'), false)
})

t.test('an operator of another type makes nothing', async (t) => {
  for (const operator of ['eq', 'True', '', 'toString'])
    t.equal(booleanPredicate(operator), undefined)
})
