import { openDatabase, type Queryable } from '@svc/database'
import { createLogger } from '@svc/runtime'
import t from 'tap'
import { createRandom } from '../support/random.ts'
import { startStack } from '../support/stack.ts'

/** Changes in the log. */
const rows = Number(process.env.TAMPER_ROWS ?? 10_000)
const times = Number(process.env.TAMPERINGS ?? 200)
const seed = Number(process.env.TAMPER_SEED ?? 20_261_125)

interface Verification {
  readonly intact: boolean
  readonly next: number
  readonly brokenAt?: number
  readonly unproven: readonly { readonly fromRevision: number }[]
}

/** What edits the log of a revision, or of two, by SQL. */
interface Tampering {
  sql(one: number, other: number): readonly string[]
  /** The revision that is to be named; the first of what was edited unless given. */
  named?(one: number, other: number): number
}

const at = (revision: number) => `namespace_key = 'default' AND revision = ${revision}`

const ofChange = (set: string): Tampering => ({
  sql: (one) => [`UPDATE resource.changes SET ${set} WHERE ${at(one)}`],
})

const ofItem = (set: string): Tampering => ({
  sql: (one) => [`UPDATE resource.change_items SET ${set} WHERE ${at(one)}`],
})

const deletion = (table: string): Tampering => ({
  sql: (one) => [`DELETE FROM resource.${table} WHERE ${at(one)}`],
})

const copy = (table: string, columns: string): Tampering => ({
  sql: (one) => [
    `INSERT INTO resource.${table} (namespace_key, revision, ${columns})
     SELECT namespace_key, revision + 1, ${columns} FROM resource.${table} WHERE ${at(one)}`,
  ],
  named: (one) => one + 1,
})

const swap = (table: string): Tampering => ({
  sql: (one, other) => [
    `UPDATE resource.${table} SET revision = -revision WHERE ${at(one)} OR ${at(other)}`,
    `UPDATE resource.${table} SET revision = CASE revision WHEN -${one} THEN ${other} ELSE ${one} END
      WHERE revision < 0`,
  ],
  named: Math.min,
})

/** Every column of both tables but the address, and rows that go, come or change places. */
const tamperings: Readonly<Record<string, Tampering>> = {
  at: ofChange(`at = at + interval '1 microsecond'`),
  actor: ofChange(`actor = actor || 'x'`),
  source: ofChange(`source = 'seed'`),
  comment: ofChange(`comment = comment || 'x'`),
  'request id': ofChange(`request_id = 'x'`),
  details: ofChange(`details = '{"x":1}'`),
  'items hash': ofChange(`items_hash = sha256('x')`),
  'previous hash': ofChange(`previous_hash = sha256('x')`),
  hash: ofChange(`hash = sha256('x')`),
  'key id': ofChange(`key_id = 'other'`),
  'no key id': ofChange(`key_id = ''`),
  revision: ofChange('revision = revision + 1'),
  namespace: ofChange(`namespace_key = 'other'`),
  kind: ofItem(`kind = 'segment'`),
  key: ofItem(`key = 'other'`),
  before: ofItem(`before = '{"key":"f","name":"Other"}'`),
  after: ofItem(`after = '{"key":"f","name":"Other"}'`),
  'no after': ofItem('after = NULL'),
  'white space': ofItem(`after = (after::text || ' ')::json`),
  place: ofItem('place = place + 1'),
  'revision of an item': ofItem('revision = revision + 1'),
  'a change is gone': deletion('changes'),
  'an item is gone': deletion('change_items'),
  'another change': copy(
    'changes',
    `at, actor, source, comment, request_id, details, items_hash, previous_hash, key_id, hash`,
  ),
  'an item of no change': copy('change_items', 'place, kind, key, before, after'),
  'another item': {
    sql: (one) => [
      `INSERT INTO resource.change_items (namespace_key, revision, place, kind, key, before, after)
       SELECT namespace_key, revision, 1, kind, key, before, after
         FROM resource.change_items WHERE ${at(one)}`,
    ],
  },
  'changes are swapped': swap('changes'),
  'items are swapped': swap('change_items'),
}

/** Gives revisions the rows that they had. */
async function restore(tx: Queryable, revisions: readonly number[]): Promise<void> {
  for (const table of ['changes', 'change_items']) {
    await tx.query(
      `DELETE FROM resource.${table} WHERE namespace_key = 'other' OR revision = ANY ($1::bigint[])`,
      [revisions],
    )
    await tx.query(
      `INSERT INTO resource.${table}
       SELECT * FROM resource.kept_${table} WHERE revision = ANY ($1::bigint[])`,
      [revisions],
    )
  }
}

t.test(`${times} edits of a log of ${rows} changes`, async (t) => {
  const { api, databaseUrl } = await startStack(t, { env: { SVC_CHANGES_KEY: 'k'.repeat(32) } })
  const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')
  const db = openDatabase(databaseUrl, { name: 'test', maxConnections: 2, log })
  t.teardown(() => db.close())
  t.comment(`TAMPER_SEED=${seed}`)
  const random = createRandom(seed)

  // Between two revisions there is room for one that is inserted.
  await db.query('ALTER SEQUENCE resource.revisions INCREMENT BY 2')
  const flag = '/api/v1/namespaces/default/flags'
  await api('POST', flag, { key: 'f', name: 'F', type: 'BOOLEAN_FLAG_TYPE' })
  const update = (n: number) => api('PUT', `${flag}/f`, { name: `F ${n}` })
  const numbers = Array.from({ length: rows - 1 }, (_, n) => n).values()
  const work = async () => {
    for (const n of { [Symbol.iterator]: () => numbers }) {
      const { status, text } = await update(n)
      if (status !== 200) throw new Error(text)
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  for (const table of ['changes', 'change_items']) {
    await db.query(`ALTER TABLE resource.${table} DISABLE TRIGGER USER`)
    await db.query(`CREATE TABLE resource.kept_${table} AS TABLE resource.${table}`)
  }
  const revisions = (
    await db.query<{ revision: number }>('SELECT revision FROM resource.changes ORDER BY 1')
  ).map(({ revision }) => revision)
  t.equal(revisions.length, rows)

  const verify = async (): Promise<number | 'intact' | 'no revision'> => {
    for (let after = 0; ; ) {
      const path = `/api/v1/namespaces/default/changes/verification?after=${after}`
      const { status, body, text } = await api('GET', path)
      if (status !== 200) throw new Error(text)
      const { intact, next, brokenAt, unproven } = body as Verification
      if (!intact) return brokenAt ?? unproven[0]?.fromRevision ?? 'no revision'
      if (next === 0) return 'intact'
      after = next
    }
  }

  const falseAlarms: unknown[] = []
  const missed: string[] = []
  for (let n = 0; n < times; n++) {
    const untouched = await verify()
    if (untouched !== 'intact') falseAlarms.push(untouched)
    const [name, { sql, named = (first: number) => first }] = random.pick(
      Object.entries(tamperings),
    )
    const [one, other] = drawTwo()
    await db.transaction(async (tx) => {
      for (const statement of sql(one, other)) await tx.query(statement)
    })
    const [found, expected] = [await verify(), named(one, other)]
    if (found !== expected) missed.push(`${name} of ${one} and ${other}: ${found}`)
    await db.transaction((tx) => restore(tx, [one, one + 1, other]))
  }
  t.strictSame(falseAlarms, [], `${times} untouched logs are intact`)
  t.strictSame(missed, [], `the revision is named ${times} times`)
  t.equal(await verify(), 'intact')

  function drawTwo(): readonly [number, number] {
    const one = random.pick(revisions)
    const other = random.pick(revisions)
    return one === other ? drawTwo() : [one, other]
  }
})
