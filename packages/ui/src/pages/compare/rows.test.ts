import { readFiles } from '@svc/documents/files'
import t from 'tap'
import { canTake, rowsOf } from './rows.ts'

const read = (text: string) => {
  const [namespace] = readFiles([{ name: 'a.yml', text }]).namespaces
  if (namespace === undefined) throw new Error('nothing in it')
  return namespace
}

const source = read(`
flags:
- {key: same, name: Same}
- {key: state, name: State, enabled: true}
- {key: new, name: New}
segments:
- {key: eu, name: EU, match_type: ALL_MATCH_TYPE}
`)
const target = read(`
flags:
- {key: gone, name: Gone}
- {key: same, name: Same}
- {key: state, name: State}
`)

t.test('flags that differ come first, also by their state alone', async (t) => {
  const rows = rowsOf('flag', source, target)
  t.strictSame(
    rows.map(({ key, standing }) => [key, standing]),
    [
      ['state', 'differs'],
      ['new', 'new'],
      ['gone', 'only there'],
      ['same', 'same'],
    ],
  )
  t.strictSame(
    rows.filter(canTake).map(({ key }) => key),
    ['state', 'new'],
  )
  t.equal(rows[1]?.name, 'New')
})

t.test('segments are compared likewise', async (t) => {
  t.match(rowsOf('segment', source, target), [{ key: 'eu', standing: 'new' }])
  t.match(rowsOf('segment', source, source), [{ standing: 'same' }])
})
