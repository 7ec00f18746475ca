import t from 'tap'
import { SegmentTable } from './segment-table.ts'
import { segment } from './testing/records.ts'

t.test('a segment is one object through all its changes while it is referred to', async (t) => {
  const table = new SegmentTable()
  const first = table.get('a')
  table.retain([first])
  t.equal(first.exists, false)
  table.define(segment('a'))
  t.equal(first.exists, true)
  table.delete('a')
  t.equal(first.exists, false)
  table.define(segment('a'))
  t.equal(table.get('a'), first)
})

t.test('what neither exists nor is referred to is forgotten', async (t) => {
  const table = new SegmentTable()
  const a = table.get('a')
  table.retain([a, a])
  table.define(segment('a'))
  table.delete('a')
  t.equal(table.size, 1, 'a segment that is referred to stays')
  table.release([a])
  t.equal(table.size, 1, 'the last reference counts')
  table.release([a])
  t.equal(table.size, 0)
  table.define(segment('b'))
  const b = table.get('b')
  table.retain([b])
  table.release([b])
  t.equal(table.size, 1, 'a segment that exists stays')
  table.delete('b')
  t.equal(table.size, 0)
})

t.test('deleting what is not there does nothing', async (t) => {
  const table = new SegmentTable()
  table.delete('a')
  t.equal(table.size, 0)
})
