import { readFiles } from '@svc/documents/files'
import t from 'tap'
import { operationsOf, rowsOf, standingOf } from './import-rows.ts'

const read = (text: string) => {
  const [namespace] = readFiles([{ name: 'a.yml', text }]).namespaces
  if (namespace === undefined) throw new Error('nothing in it')
  return namespace
}

const stored = read(`
flags:
- {key: same, name: Same}
- {key: other, name: Other}
- {key: gone, name: Gone}
segments:
- {key: eu, name: EU, match_type: ALL_MATCH_TYPE}
`)
const file = read(`
flags:
- {key: same, name: Same}
- {key: other, name: Another}
- {key: new, name: New}
segments:
- {key: us, name: US, match_type: ALL_MATCH_TYPE}
`)

const said = (rows: ReturnType<typeof rowsOf>) =>
  rows.map((row) => `${standingOf(row)}: ${row.kind} ${row.key}`)
const asked = (operations: ReturnType<typeof operationsOf>) =>
  operations.map(({ kind, key, delete: isGone }) => `${isGone ? 'delete' : 'set'} ${kind} ${key}`)

t.test('a file is compared with a namespace', async (t) => {
  const rows = rowsOf(file, stored)
  t.strictSame(said(rows), [
    'new: flag new',
    'new: segment us',
    'changed: flag other',
    'only here: flag gone',
    'only here: segment eu',
    'same: flag same',
  ])
  t.match(rows[2]?.changes, [{ path: 'name', before: '"Other"', after: '"Another"' }])
  t.strictSame(asked(operationsOf(rows, { keeps: false, deletes: false })), [
    'set SEGMENT_KIND us',
    'set FLAG_KIND new',
    'set FLAG_KIND other',
  ])
  t.strictSame(asked(operationsOf(rows, { keeps: true, deletes: true })), [
    'set SEGMENT_KIND us',
    'set FLAG_KIND new',
    'delete FLAG_KIND gone',
    'delete SEGMENT_KIND eu',
  ])
})

t.test('everything is new to a namespace that there is not', async (t) => {
  const rows = rowsOf(file, undefined)
  t.ok(rows.every((row) => standingOf(row) === 'new'))
  t.equal(operationsOf(rows, { keeps: true, deletes: true }).length, 4)
})
