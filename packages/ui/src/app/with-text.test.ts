import t from 'tap'
import { withText } from './with-text.ts'

t.test('of what was found before, what fits another text is left', async (t) => {
  const found = [
    { key: 'theme', name: 'Colours' },
    { key: 'checkout', name: 'New Checkout' },
  ]
  t.strictSame(withText(found, 'new c'), [found[1]])
  t.strictSame(withText(found, 'THE'), [found[0]])
  t.strictSame(withText(found, ''), found)
  t.strictSame(withText(found, 'nothing'), [])
})
