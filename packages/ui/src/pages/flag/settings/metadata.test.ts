import t from 'tap'
import { entriesOf, patchOf, problemOf } from './metadata.ts'

const metadata = { owner: 'Jule', tags: ['a'], more: { a: 1, b: { c: 2 } }, count: 3 }
const [owner, more] = entriesOf(metadata)

t.test('metadata is entries; texts are as they are, tags are elsewhere', async (t) => {
  t.strictSame(entriesOf(metadata), [
    { name: 'owner', text: 'Jule', isJson: false },
    { name: 'more', text: '{"a":1,"b":{"c":2}}', isJson: true },
    { name: 'count', text: '3', isJson: true },
  ])
  t.strictSame(entriesOf(undefined), [])
  t.equal(entriesOf({ tags: 'none' }).length, 1, 'those that are no tags are an entry')
})

t.test('an entry is changed, renamed and taken away by a patch', async (t) => {
  const text = { name: 'owner', text: 'Tom', isJson: false }
  t.strictSame(patchOf(owner, text), {
    patch: { metadata: { owner: 'Tom' } },
    expect: { metadata: { owner: 'Jule' } },
  })
  t.strictSame(patchOf(owner, { ...text, name: 'team' }).patch, {
    metadata: { owner: null, team: 'Tom' },
  })
  t.strictSame(patchOf(owner, undefined).patch, { metadata: { owner: null } })
  t.strictSame(patchOf(undefined, text), {
    patch: { metadata: { owner: 'Tom' } },
    expect: undefined,
  })
})

t.test('what an object loses is taken away', async (t) => {
  const next = { name: 'more', text: '{"b":{"d":4}}', isJson: true }
  t.strictSame(patchOf(more, next).patch, {
    metadata: { more: { a: null, b: { c: null, d: 4 } } },
  })
  t.strictSame(patchOf(more, { ...next, text: '[1]' }).patch, {
    metadata: { more: [1] },
  })
})

t.test('what cannot be kept is found before', async (t) => {
  t.equal(problemOf({ name: '', text: '', isJson: false }, []), 'noName')
  t.equal(problemOf({ name: 'a', text: '', isJson: false }, ['a']), 'taken')
  t.equal(problemOf({ name: 'tags', text: '', isJson: false }, []), 'taken')
  t.equal(problemOf({ name: 'a', text: '{', isJson: true }, []), 'noJson')
  t.equal(problemOf({ name: 'a', text: '{"a":[null]}', isJson: true }, []), 'hasNull')
  t.equal(problemOf({ name: 'a', text: '{', isJson: false }, []), undefined)
})
