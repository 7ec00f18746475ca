import { ChainKeys } from '@svc/audit'
import { type Database, openDatabase, type Queryable } from '@svc/database'
import { withSession } from '@svc/database/testing'
import { startEvery } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { undoOperations } from '../apply/undo.ts'
import { configureLog } from '../changes/log-settings.ts'
import { handlersOn } from '../testing/resources.ts'
import { day, dayMs, keys, log, openRetention } from '../testing/retention.ts'
import { listOldest } from './retention.store.ts'
import { deleteOld, eraseOld, logHeads, startRetention } from './retention.ts'

const minute = 1 / 60

t.test('changes are deleted from 400 days on, but for the newest', async (t) => {
  const { options, logOld, revisions, findBreak, errors, ...resources } = await openRetention(t)
  const hoursAgo = [500, 450, 400 + minute / day, 400 - minute / day, 399, 1].map((d) => d * day)
  const logged = await logOld(hoursAgo)
  await resources.createNamespace({ key: 'old', name: 'Old' })
  const [made] = await revisions('old')
  const old = await logOld([600 * day, 500 * day, 500 * day], { namespaceKey: 'gone' })
  const before = await resources.verifyChanges({})
  t.match(before, { intact: true, checked: 6 })
  await deleteOld(options)
  t.strictSame(await revisions(), logged.slice(3))
  t.strictSame(await revisions('default', 'change_items'), logged.slice(3))
  t.strictSame(await revisions('gone'), old.slice(2), 'the newest stays, and needs no namespace')
  t.strictSame(await revisions('old'), [made])
  const after = await resources.verifyChanges({})
  t.match(after, { intact: true, checked: 3, fromRevision: logged[3], fault: '', gaps: [] })
  t.equal(after.head, before.head)
  t.equal(await findBreak('gone'), 'intact')

  await t.test('and the log goes on', async (t) => {
    await resources.createFlag({ key: 'f', name: 'F' })
    await deleteOld(options)
    t.equal(await findBreak(), 'intact')
    t.match(await resources.verifyChanges({ after: logged[1] }), { intact: true, checked: 4 })
    t.equal((await resources.listChanges({ after: 0 })).changes.length, 4)
  })

  await t.test('and cannot be read, undone or asked for as a state any more', async (t) => {
    const taken = {
      code: 'not_found',
      reason: 'change_not_found',
      message: `revision ${logged[1]} of namespace "default" is not kept any more: changes.retention has deleted it`,
    }
    const revision = String(logged[1])
    await t.rejects(resources.getChange({ revision }), taken)
    await t.rejects(resources.undoChange({ revision }), taken)
    await t.rejects(resources.undoChange({ revision, force: true, dryRun: true }), taken)
    await t.rejects(resources.getNamespaceDocument({ revision: logged[1] }), taken)
    // All that has changed since the last one is there.
    t.match(await resources.getNamespaceDocument({ revision: logged[2] }), { revision: logged[2] })
  })

  await t.test('nor when they go between two statements of an undo', async (t) => {
    const item = { kind: 'flag', key: 'old-0', bytes: 1, label: '' } as const
    const items = [{ ...item, isDeletion: false, isRestored: false }]
    const undone = { namespaceKey: 'default', revision: Number(logged[1]), items, force: false }
    const undo = options.db.transaction((tx) => undoOperations(undone, new Map()).load(tx, items))
    await t.rejects(undo, { code: 'not_found', message: /is not kept any more/ })
  })
  t.strictSame(errors(), [])
})

t.test('the database refuses what is younger than 30 days', async (t) => {
  const { options, logOld, revisions, findBreak, errors } = await openRetention(t)
  const logged = await logOld([31 * day, 30 * day + minute, 30 * day - minute, 1])
  await deleteOld({ ...options, retentionMs: 29 * dayMs })
  t.match(errors(), [{ namespace: 'default', err: { message: /append-only/ } }])
  t.strictSame(await revisions(), logged, 'nothing of the portion is deleted')
  await deleteOld({ ...options, retentionMs: 30 * dayMs })
  t.strictSame(await revisions(), logged.slice(2))
  t.equal(await findBreak(), 'intact')
  t.equal(errors().length, 0)
})

/** The database, on which something happens after each transaction. */
function afterEach(db: Database, work: () => void): Database {
  const transaction: Database['transaction'] = async (...call) => {
    const result = await db.transaction(...call)
    work()
    return result
  }
  return { ...db, transaction }
}

t.test('a portion has 64 MiB of documents, unless one change has more', async (t) => {
  const { options, db, logOld, revisions } = await openRetention(t)
  const logged = await logOld(Array.from({ length: 5 }, () => 500 * day))
  const statements = [
    'ALTER TABLE resource.change_items DISABLE TRIGGER USER, ALTER after SET STORAGE EXTERNAL',
    `UPDATE resource.change_items SET after = to_json(repeat('x', 40 * 1024 * 1024))
      WHERE revision IN (${logged[0]}, ${logged[1]})`,
    'ALTER TABLE resource.change_items ENABLE TRIGGER USER',
  ]
  await withSession(db.url, async (session) => {
    for (const statement of statements) await session.query(statement)
  })
  const closing = new AbortController()
  await deleteOld({ ...options, db: afterEach(options.db, () => closing.abort()) }, closing.signal)
  t.strictSame(await revisions(), logged.slice(1))
  await deleteOld(options)
  t.strictSame(await revisions(), logged.slice(4))
})

t.test('a portion has 1,000 changes, and 5,000 items unless one has more', async (t) => {
  const { options, logOld, revisions, findBreak, lines } = await openRetention(t)
  await logOld(Array.from({ length: 2500 }, () => 500 * day))
  await logOld(
    Array.from({ length: 3 }, () => 500 * day),
    { namespaceKey: 'large', items: 3000 },
  )
  await logOld([500 * day, 500 * day], { namespaceKey: 'larger', items: 20_000 })
  const left = async () => [
    (await revisions()).length,
    (await revisions('large')).length,
    (await revisions('larger')).length,
  ]
  const sizes: number[][] = [await left()]
  // Each run ends after its first portion, as at a shutdown.
  for (let run = 0; run < 6; run++) {
    const closing = new AbortController()
    const db = afterEach(options.db, () => closing.abort())
    await deleteOld({ ...options, db }, closing.signal)
    sizes.push(await left())
    t.equal(await findBreak(), 'intact')
  }
  const taken = sizes.slice(1).map((after, run) => {
    return after.map((count, index) => (sizes[run]?.[index] ?? 0) - count).join()
  })
  const portions = ['1000,0,0', '1000,0,0', '499,0,0', '0,1,0', '0,1,0', '0,0,1']
  const drawn = taken.filter((one) => one !== '0,0,0')
  t.strictSame(drawn.toSorted(), portions.toSorted())
  await deleteOld(options)
  t.strictSame(await left(), [1, 1, 1])
  for (const namespaceKey of ['default', 'large', 'larger']) {
    t.equal(await findBreak(namespaceKey), 'intact')
  }
  t.ok(lines().some(([{ count }, text]) => count === 1000 && text === 'deleted old changes'))
})

t.test('a portion of large changes reads no more of them than it may have', async (t) => {
  const { db, logOld, revisions } = await openRetention(t)
  await logOld(
    Array.from({ length: 5 }, () => 500 * day),
    { items: 3000 },
  )
  const [first, , , , newest = 0] = await revisions()
  let read = 0
  const explaining: Queryable = {
    async query(text, values) {
      const [row] = await db.query<{ 'QUERY PLAN': unknown }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
        values,
      )
      read += rowsRead(row?.['QUERY PLAN'], 'change_items')
      return db.query(text, values)
    },
  }
  const listed = await listOldest(explaining, 'default', 400 * dayMs, newest)
  t.match(listed, [{ revision: first }])
  t.equal(listed.length, 1)
  t.equal(read, 5001)
})

/** The rows of a table that a plan has read. */
function rowsRead(plan: unknown, table: string): number {
  if (typeof plan !== 'object' || plan === null) return 0
  const own =
    'Relation Name' in plan && plan['Relation Name'] === table
      ? Number('Actual Rows' in plan && plan['Actual Rows']) *
        Number('Actual Loops' in plan && plan['Actual Loops'])
      : 0
  return Object.values(plan).reduce((sum: number, part) => sum + rowsRead(part, table), own)
}

t.test('several processes at once, among writers and verification', async (t) => {
  const { db, options, logOld, revisions, findBreak, errors, lines } = await openRetention(t)
  const expected: Record<string, number> = {}
  for (const namespaceKey of ['default', 'a', 'b', 'c']) {
    const old = Array.from({ length: 1500 }, () => 401 * day)
    const logged = await logOld([...old, 399 * day, 2], { namespaceKey })
    expected[namespaceKey] = Number(logged[1500])
  }
  const pools = [1, 2, 3, 4].map((number) =>
    openDatabase(db.url, {
      name: `process ${number}`,
      maxConnections: 3,
      log,
      acquireTimeoutMs: 5000,
    }),
  )
  t.teardown(() => Promise.all(pools.map((pool) => pool.close())))
  for (const pool of pools) configureLog(pool, { keys, dailyBytes: 2 ** 31 })
  const breaks = new Set<unknown>()
  let isOver = false
  const until = async (work: (n: number) => Promise<unknown>) => {
    for (let n = 0; !isOver; n++) await work(n)
  }
  const meanwhile = [
    until(async () => breaks.add(await findBreak())),
    ...pools.slice(0, 2).map((pool, index) => {
      const { createFlag } = handlersOn(pool)
      return until((n) => createFlag({ key: `f-${index}-${n}`, name: 'F' }))
    }),
  ]
  const processes = pools.map((pool) =>
    startEvery(5, log, async (signal) => {
      for (const step of [logHeads, eraseOld, deleteOld])
        await step({ ...options, db: pool }, signal)
    }),
  )
  const isDone = async (namespaceKey: string) =>
    (await revisions(namespaceKey))[0] === expected[namespaceKey]
  await waitFor(async () => {
    return (await Promise.all(Object.keys(expected).map(isDone))).every((done) => done)
  })
  await Promise.all(processes.map((process) => process.close()))
  isOver = true
  await Promise.all(meanwhile)
  t.strictSame(breaks, new Set(['intact']))
  for (const namespaceKey of Object.keys(expected)) {
    t.equal(await findBreak(namespaceKey), 'intact')
  }
  t.strictSame(errors(), [])
  const heads = lines().flatMap(([{ namespace }, text]) =>
    text === 'chain head' ? [namespace] : [],
  )
  t.strictSame(heads.toSorted(), ['a', 'b', 'c', 'default'], 'each head is logged by one of them')
})

t.test('without a key changes are deleted as well', async (t) => {
  const { db, options, logOld, revisions, findBreak } = await openRetention(t)
  const none = new ChainKeys()
  configureLog(db, { keys: none, dailyBytes: 2 ** 31 })
  const logged = await logOld([500 * day, 450 * day, 1], { keys: none })
  await deleteOld({ ...options, keys: none })
  t.strictSame(await revisions(), logged.slice(2))
  t.equal(await findBreak(), 'intact')
})

t.test('addresses are erased after 90 days', async (t) => {
  const { db, options, logOld, findBreak, errors } = await openRetention(t)
  const withAddress = async (namespaceKey = 'default') => {
    const [row] = await db.query<{ count: number }>(
      `SELECT count(*) FROM resource.changes WHERE namespace_key = $1 AND address IS NOT NULL`,
      [namespaceKey],
    )
    return Number(row?.count)
  }
  const old = Array.from({ length: 2100 }, (_, index) => 300 * day - index / 100)
  await logOld([...old, 90 * day + minute, 90 * day - minute, 1])
  await logOld([100 * day], { namespaceKey: 'gone' })
  const closing = new AbortController()
  const first = afterEach(db, () => closing.abort())
  await eraseOld({ ...options, db: first }, closing.signal)
  const left = `${await withAddress()} ${await withAddress('gone')}`
  t.ok(left === '1103 1' || left === '2103 0', 'a portion of either namespace')
  await Promise.all([eraseOld(options), eraseOld(options)])
  await eraseOld(options)
  t.equal(await withAddress(), 2)
  t.equal(await withAddress('gone'), 0)
  t.equal(await findBreak(), 'intact')
  await logOld([91 * day], { namespaceKey: 'gone' })
  await eraseOld(options)
  t.equal(await withAddress('gone'), 0, 'also of what was logged since')
  t.strictSame(errors(), [])
})

t.test('heads of chains are logged once an hour, when they have changed', async (t) => {
  const { db, options, createNamespace, createFlag, verifyChanges, lines } = await openRetention(t)
  const logged = async () => {
    await logHeads(options)
    return lines().map(
      ([fields, text]) => `${text} ${fields.namespace} ${fields.revision} ${fields.hash}`,
    )
  }
  const headOf = async (namespaceKey: string) => {
    const { head, toRevision } = await verifyChanges({ namespaceKey })
    return `chain head ${namespaceKey} ${toRevision} ${head}`
  }
  const hourLater = () =>
    db.query(`UPDATE resource.chains SET witnessed_at = witnessed_at - interval '1 hour'`)
  t.strictSame(await logged(), [], 'no log yet')
  await createFlag({ key: 'f', name: 'F' })
  await createNamespace({ key: 'n', name: 'N' })
  const heads = [await headOf('default'), await headOf('n')]
  t.strictSame((await logged()).toSorted(), heads)
  await createFlag({ key: 'g', name: 'G' })
  t.strictSame(await logged(), [], 'within the hour')
  await hourLater()
  t.strictSame(await logged(), [await headOf('default')])
  await hourLater()
  t.strictSame(await logged(), [])
})

t.test('a fault is logged, and the end is clean', async (t) => {
  const { db, options, logOld, errors, revisions } = await openRetention(t)
  const logged = await logOld([500 * day, 1])
  const closed = openDatabase(db.url, { name: 'closed', maxConnections: 1, log })
  await closed.close()
  const failing = startRetention({ ...options, db: closed })
  const faults: Record<string, unknown>[] = []
  await waitFor(() => faults.push(...errors()) >= 3)
  t.strictSame(
    faults.map(({ step }) => step),
    ['logHeads', 'eraseOld', 'deleteOld'],
    'no step keeps another from its turn',
  )
  await failing.close()
  const running = startRetention(options)
  await waitFor(async () => (await revisions()).length === 1)
  await running.close()
  t.strictSame(await revisions(), logged.slice(1))
})
