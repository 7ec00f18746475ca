import t from 'tap'
import { newRequestId } from './request-ids.ts'

t.test('every id is a UUID of version 4, and another one', async (t) => {
  const ids = Array.from({ length: 1000 }, newRequestId)
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  t.ok(ids.every((id) => uuid.test(id)))
  t.equal(new Set(ids).size, ids.length)
})
