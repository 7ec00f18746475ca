import fc from 'fast-check'
import t from 'tap'
import { addProperty, readContext, rowsOf, writeRows } from './context.ts'

t.test('a context is a JSON object, or nothing', async (t) => {
  t.strictSame(readContext(' '), {})
  t.strictSame(readContext('{"a": 1}'), { a: 1 })
  for (const text of ['[]', 'null', '"a"', '{', '1']) t.equal(readContext(text), undefined, text)
})

t.test('rows show texts, numbers and booleans', async (t) => {
  const rows = rowsOf({ country: 'DE', seats: 12, beta: true, gone: null })
  t.strictSame(rows, [
    { property: 'country', value: 'DE' },
    { property: 'seats', value: '12' },
    { property: 'beta', value: 'true' },
  ])
  t.equal(rowsOf({ tags: ['a'] }), undefined)
})

t.test('rows become JSON and rows again', async () => {
  const property = fc.string({ minLength: 1 }).filter((name) => !/^\d+$/.test(name))
  const row = fc.record({ property, value: fc.string() })
  const rows = fc.uniqueArray(row, { selector: ({ property }) => property })
  fc.assert(
    fc.property(rows, (rows) => {
      const again = rowsOf(readContext(writeRows(rows)) ?? {})
      return JSON.stringify(again) === JSON.stringify(rows)
    }),
  )
})

t.test('rows without a name do not count, and of two the last does', async (t) => {
  t.equal(writeRows([{ property: '', value: 'DE' }]), '')
  const twice = ['DE', 'FR'].map((value) => ({ property: 'country', value }))
  t.equal(writeRows(twice), '{"country":"FR"}')
})

t.test('a property is added once', async (t) => {
  t.equal(addProperty('', 'email'), '{"email":""}')
  t.equal(addProperty('{"email":"a@b.example"}', 'email'), '{"email":"a@b.example"}')
  t.equal(addProperty('{"country":', 'email'), '{"country":')
})
