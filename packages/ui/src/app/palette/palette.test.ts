import t from 'tap'
import { matches } from './matching.ts'
import { rank } from './rank.ts'

t.test('names that begin with the text come first', async (t) => {
  const found = ['api-limits', 'search', 'new-checkout', 'checkout'].map((key) => ({
    key,
    name: '',
  }))
  t.strictSame(
    rank(found, 'ch').map(({ key }) => key),
    ['checkout', 'new-checkout', 'search', 'api-limits'],
  )
})

t.test('an action is found by the beginnings of its words', async (t) => {
  t.ok(matches('Theme: Dark', 'th da'))
  t.ok(matches('Audit log', ''))
  t.notOk(matches('Audit log', 'udit'))
})
