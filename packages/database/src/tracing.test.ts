import { contextOf, within } from '@svc/telemetry'
import { recordSpans } from '@svc/telemetry/testing'
import t from 'tap'
import { createTestDatabase } from './testing.ts'
import { describeStatement } from './tracing.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

t.test('every statement of a recorded request is a span, without its values', async (t) => {
  const db = await createTestDatabase(t)
  await db.query('CREATE SCHEMA shop')
  await db.query('CREATE TABLE shop.items (name text PRIMARY KEY)')
  const spans = recordSpans(t)
  await within(contextOf({ traceparent }), () =>
    db.transaction(async (tx) => {
      await tx.query('INSERT INTO shop.items\n      VALUES ($1)', ['secret-1'])
      await tx.query('SELECT name FROM shop.items WHERE name = $1', ['secret-1'])
    }),
  )
  t.strictSame(
    spans().map(({ name }) => name),
    ['BEGIN', 'INSERT shop.items', 'SELECT shop.items', 'COMMIT'],
  )
  t.match(spans()[1], {
    kind: 2,
    parentSpanContext: { spanId: 'b7ad6b7169203331' },
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': 'INSERT',
      'db.query.summary': 'INSERT shop.items',
      'db.query.text': 'INSERT INTO shop.items VALUES ($1)',
    },
  })

  const before = spans().length
  const again = () => db.query('INSERT INTO shop.items VALUES ($1)', ['secret-1'])
  await within(contextOf({ traceparent }), () => t.rejects(again()))
  t.match(spans()[before], {
    status: { code: 2 },
    attributes: { 'db.response.status_code': '23505', 'error.type': 'ConstraintViolation' },
    events: [],
  })
  await t.rejects(again())
  t.equal(spans().length, before + 1, 'a statement of no request is none')
  t.notMatch(
    JSON.stringify(spans().map(({ attributes, events }) => [attributes, events])),
    'secret',
  )
})

t.test('statements have short names', async (t) => {
  const nameOf = (text: string) => describeStatement(text).name
  t.equal(nameOf('\n  UPDATE resource.flags SET name = $1'), 'UPDATE resource.flags')
  t.equal(nameOf('WITH a AS (SELECT 1) SELECT * FROM auth.events'), 'WITH auth.events')
  t.equal(nameOf('DELETE FROM auth.revocations'), 'DELETE auth.revocations')
  t.equal(nameOf(''), '')
})
