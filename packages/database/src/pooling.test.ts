import pg from 'pg'
import t from 'tap'
import { detectPooling } from './pooling.ts'

/** A connection by a pooler, which answers the first statement and refuses the others with an error. */
function refusing(message: string) {
  const error = Object.assign(new pg.DatabaseError(message, 0, 'error'), { code: '08P01' })
  const client = new pg.Client()
  let count = 0
  const query = async () => {
    count += 1
    if (count > 1) throw error
    return { rows: [{ pid: 1 }] }
  }
  return { error, connection: { client: Object.assign(client, { query }), close: async () => {} } }
}

t.test('a pooler that refuses transactions pools by statement', async (t) => {
  const { connection } = refusing('transaction blocks not allowed in statement pooling mode')
  t.equal(await detectPooling(connection, 'postgres://nowhere'), 'statement')
})

t.test('a pooler that cannot reach its server says nothing about how it pools', async (t) => {
  const { connection, error } = refusing('server login has been failing, cached error: timeout')
  await t.rejects(detectPooling(connection, 'postgres://nowhere'), error)
})
