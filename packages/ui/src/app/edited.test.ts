import t from 'tap'
import { changedMeanwhile, editedOf } from './edited.ts'

t.test('of a form', async (t) => {
  const values = { name: 'New', description: '', confirm: false }
  t.strictSame(editedOf(values, {}), {})
  t.strictSame(editedOf(values, { name: true, description: false, confirm: true }), {
    name: 'New',
    confirm: false,
  })
})

t.test('what others have changed since', async (t) => {
  const opened = { name: 'Old', description: 'Old' }
  const now = { name: 'Theirs', description: 'Theirs' }
  t.strictSame(changedMeanwhile(opened, {}, now), [], 'what is not edited is theirs')
  t.strictSame(changedMeanwhile(opened, { name: 'Mine' }, opened), [])
  t.strictSame(changedMeanwhile(opened, { name: 'Mine' }, now), ['name'])
  t.strictSame(changedMeanwhile(opened, { name: 'Theirs', description: '' }, now), ['description'])
})
