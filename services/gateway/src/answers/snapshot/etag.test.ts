import t from 'tap'
import { etagOf } from './etag.ts'
import { currentForm, formFor } from './form.ts'

t.test('a tag', async (t) => {
  const tag = etagOf('default', 7, currentForm)
  t.match(tag, /^[0-9a-f]{40}$/)
  t.equal(etagOf('default', 7, currentForm), tag, 'is the same each time')
  t.not(etagOf('default', 8, currentForm), tag, 'changes with the revision')
  t.not(etagOf('other', 7, currentForm), tag, 'is another one for each namespace')
  t.not(etagOf('default', 7, formFor({})), tag, 'is another one for each form')
})
