import { setTimeout as sleep } from 'node:timers/promises'
import { ChainKeys } from '@svc/audit'
import t, { type Test } from 'tap'
import { openAuthDatabase, openLog, silent } from '../auth.test.support.ts'
import { systemOrigin } from '../events/event.ts'
import { EventLog } from '../events/event-log.ts'
import { pruneEvents } from './retention.ts'
import { verifyEvents } from './verification.ts'

const dayMs = 24 * 3_600_000
const key = 'the-key-of-the-log-of-events-00001'
const keys = new ChainKeys(key)

async function open(t: Test, count: number, ownKeys = keys) {
  const db = await openAuthDatabase(t)
  const events = new EventLog(ownKeys)
  const log = (from: number, times: number) =>
    db.transaction((tx) =>
      events.append(
        tx,
        Array.from({ length: times }, (_, i) => ({
          ...systemOrigin,
          type: 'token.created',
          subject: `token ${from + i}`,
          address: '192.0.2.1',
          details: { name: `T ${from + i}` },
        })),
      ),
    )
  await log(1, count)
  /** As the owner of the tables may. */
  const edit = async (...statements: string[]) => {
    await db.query('ALTER TABLE auth.events DISABLE TRIGGER USER')
    for (const statement of statements) await db.query(statement)
    await db.query('ALTER TABLE auth.events ENABLE TRIGGER USER')
  }
  const verify = (after = 0, limit = 0) => verifyEvents(db, ownKeys, after, limit)
  return { db, log, edit, verify }
}

t.test('a log that was left alone is intact, in slices', async (t) => {
  const { verify, log } = await open(t, 2500)
  const whole = await verify()
  t.match(whole, { intact: true, checked: 2500, first: 1, last: 2500, next: 0, fault: '' })
  const slice = await verify(0, 1200)
  t.match(slice, { intact: true, checked: 1200, first: 1, last: 1200, next: 1200 })
  t.match(await verify(slice.next), { intact: true, checked: 1300, first: 1201, next: 0 })
  t.match(await verify(2500), { intact: true, checked: 0, first: 0, last: 0, head: whole.head })
  await log(2501, 1)
  t.match(await verify(2500), { intact: true, checked: 1, first: 2501 })
})

t.test('every edit is found, at its number', async (t) => {
  const columns = 'at, type, actor, subject, address, details, previous_hash, key_id, hash'
  const set = (what: string) => `UPDATE auth.events SET ${what} WHERE number = 40`
  const edits: Record<string, [brokenAt: number, ...statements: string[]]> = {
    at: [40, set(`at = at + interval '1 microsecond'`)],
    type: [40, set(`type = 'token.deleted'`)],
    actor: [40, set(`actor = 'anonymous'`)],
    subject: [40, set(`subject = ''`)],
    details: [40, set(`details = '{"name":"T 40" }'`)],
    'no details': [40, set('details = NULL')],
    hash: [40, set(`hash = sha256('')`)],
    previous: [40, set(`previous_hash = sha256('')`)],
    deleted: [41, 'DELETE FROM auth.events WHERE number = 40'],
    first: [2, 'DELETE FROM auth.events WHERE number = 1'],
    newest: [100, 'DELETE FROM auth.events WHERE number = 100'],
    all: [100, 'DELETE FROM auth.events'],
    'all, and the beginning is the head': [
      100,
      `UPDATE auth.chain
          SET pruned_number = number, pruned_hash = hash, pruned_key_id = '',
              pruned_mac = sha256(convert_to(
                E'pruned\\n\\nauth.events\\n100\\n' || encode(hash, 'hex'), 'UTF8'))`,
      'DELETE FROM auth.events',
    ],
    added: [
      101,
      `INSERT INTO auth.events (number, ${columns}) SELECT 101, ${columns} FROM auth.events WHERE number = 100`,
    ],
    swapped: [
      40,
      'UPDATE auth.events SET number = 1000 WHERE number = 40',
      'UPDATE auth.events SET number = 40 WHERE number = 41',
      'UPDATE auth.events SET number = 41 WHERE number = 1000',
    ],
    head: [100, `UPDATE auth.chain SET hash = sha256('')`],
  }
  const { db, edit, verify } = await open(t, 100)
  await db.query('CREATE TABLE auth.kept AS TABLE auth.events')
  await db.query('CREATE TABLE auth.kept_chain AS TABLE auth.chain')
  for (const [name, [brokenAt, ...statements]] of Object.entries(edits)) {
    t.match(await verify(), { intact: true, checked: 100 }, `before: ${name}`)
    await edit(...statements)
    t.match(await verify(), { intact: false, brokenAt, fault: /^event \d+/, next: 0 }, name)
    await edit(
      'DELETE FROM auth.events',
      'INSERT INTO auth.events SELECT * FROM auth.kept',
      'DELETE FROM auth.chain',
      'INSERT INTO auth.chain SELECT * FROM auth.kept_chain',
    )
  }
  await db.query('UPDATE auth.events SET address = NULL WHERE number = 40')
  t.match(await verify(), { intact: true }, 'addresses may be erased')
})

t.test('without the key nothing can be added', async (t) => {
  const { db, verify } = await open(t, 3)
  await db.transaction((tx) =>
    new EventLog(new ChainKeys('guessed')).append(tx, [
      { ...systemOrigin, type: 'token.created', subject: '', details: {} },
    ]),
  )
  const { keyId } = { keyId: new ChainKeys('guessed').currentId }
  t.match(await verify(), {
    intact: false,
    fault: `unknown key ${keyId}`,
    unproven: [{ keyId, first: 4, last: 4, count: 1 }],
  })
  await db.query('ALTER TABLE auth.events DISABLE TRIGGER USER')
  await db.query('UPDATE auth.events SET key_id = $1 WHERE number = 4', [keys.currentId])
  t.match(await verify(), { intact: false, brokenAt: 4, fault: 'event 4 is not as it was written' })
})

t.test('a second request is told to come again', async (t) => {
  const { verify } = await open(t, 2000)
  const outcomes = await Promise.allSettled([verify(), verify()])
  t.match(outcomes, [
    { status: 'fulfilled', value: { intact: true } },
    { status: 'rejected', reason: { code: 'unavailable' } },
  ])
})

t.test('rows are neither edited nor deleted before they are 30 days old', async (t) => {
  const { db, edit } = await open(t, 3)
  const refused = { code: '42501', message: /append-only/ }
  for (const what of [`actor = 'x'`, 'at = now()', `details = NULL`, `hash = hash`]) {
    await t.rejects(db.query(`UPDATE auth.events SET ${what}`), refused, what)
  }
  await t.rejects(db.query('DELETE FROM auth.events'), refused)
  await t.rejects(db.query('TRUNCATE auth.events'), refused)
  await edit(`UPDATE auth.events SET at = at - interval '31 days' WHERE number = 1`)
  await db.query('DELETE FROM auth.events WHERE number = 1')
})

t.test('retention', async (t) => {
  const { db, edit, log, verify } = await open(t, 2500)
  const prune = (retentionMs: number) =>
    Promise.all([1, 2].map(() => pruneEvents(db, { keys, retentionMs, log: silent })))
  t.strictSame(await prune(400 * dayMs), [0, 0])
  // So that what was logged with right hashes may go at once.
  await db.query('ALTER TABLE auth.events DISABLE TRIGGER keep_rows')
  // Time goes on between the two readings of the clock, so there is a gap between these and those before.
  await sleep(3000)
  await log(2501, 10)

  await t.test('deletes the oldest, and the chain begins at the first that is left', async (t) => {
    const [row] = await db.query<{ ms: number }>(
      `SELECT extract(epoch FROM now() - max(at))::float8 * 1000 AS ms FROM auth.events
        WHERE number <= 2500`,
    )
    const counts = await prune(Math.floor(row?.ms ?? 0))
    t.equal(
      counts.reduce((a, b) => a + b),
      2500,
      'in portions, by one process at a time',
    )
    const left = await verify()
    t.match(left, { intact: true, checked: 10, first: 2501, last: 2510 })
  })

  await t.test('keeps the newest', async (t) => {
    await prune(0)
    t.match(await verify(), { intact: true, checked: 1, first: 2510 })
    t.strictSame(await prune(0), [0, 0])
    await log(2511, 1)
    t.match(await verify(), { intact: true, checked: 2 })
  })

  await t.test('a beginning that was moved is found', async (t) => {
    await edit('DELETE FROM auth.events WHERE number = 2510')
    t.match(await verify(), { intact: false, brokenAt: 2511 })
    const forged = `UPDATE auth.chain SET pruned_number = 2510, pruned_hash =
      (SELECT previous_hash FROM auth.events WHERE number = 2511)`
    await db.query(forged)
    t.match(await verify(), { intact: false, brokenAt: 2510, fault: /the start of the log/ })
  })

  await t.test('addresses are erased after 90 days', async (t) => {
    await log(2512, 1)
    await edit(
      `UPDATE auth.events SET at = at - interval '91 days' WHERE number = 2511`,
      `UPDATE auth.events SET at = at - interval '89 days' WHERE number = 2512`,
    )
    await prune(400 * dayMs)
    const rows = await db.query('SELECT address FROM auth.events ORDER BY number')
    t.strictSame(rows, [{ address: null }, { address: '192.0.2.1' }])
  })
})

t.test('retention hides no edit, and deletes nothing by a time that was edited', async (t) => {
  const { db, edit, verify } = await open(t, 1500)
  const { log, lines } = openLog()
  const prune = () => pruneEvents(db, { keys, retentionMs: 100 * dayMs, log })
  await edit(`UPDATE auth.events SET at = at - interval '200 days'`)
  t.equal(await prune(), 0)
  t.match(lines, [{ event: 1, fault: 'event 1 is not as it was written' }])
  await edit(`UPDATE auth.events SET key_id = 'lost'`)
  t.equal(await prune(), 0, 'nor by a key that is not known')
  t.match(await verify(), { checked: 1500, fault: 'unknown key lost' })
})

t.test('events of a lost key go when a later one is old', async (t) => {
  const lost = new ChainKeys('lost')
  const { db } = await open(t, 2500, lost)
  await db.query('ALTER TABLE auth.events DISABLE TRIGGER keep_rows')
  const prune = (retentionMs = 0) => pruneEvents(db, { keys, retentionMs, log: silent })
  t.equal(await prune(), 0)
  const later = new EventLog(keys)
  const event = { ...systemOrigin, type: 'token.created', subject: '', details: {} } as const
  await db.transaction((tx) => later.append(tx, [event, event]))
  t.equal(await prune(dayMs), 0)
  t.equal(await prune(), 2501)
  t.match(await verifyEvents(db, keys, 0, 0), { intact: true, checked: 1, unproven: [] })
})

t.test('100 writers at once have numbers of their own, without a hole', async (t) => {
  const { db, log, verify } = await open(t, 1)
  await Promise.all(Array.from({ length: 100 }, (_, i) => log(i, 2)))
  t.match(await verify(), { intact: true, checked: 201, last: 201 })
  const [row] = await db.query(`SELECT count(*)::int AS n FROM auth.actors`)
  t.strictSame(row, { n: 0 }, 'the service itself has no name to keep')
})
