import { ChainKeys, chainStart } from '@svc/audit'
import t from 'tap'
import { configureLog, logSettingsOf } from '../changes/log-settings.ts'
import { openResources, type Resources } from '../testing/resources.ts'
import { Slice } from './slice.ts'

const whole = { intact: true, fault: '', next: 0, gaps: [], unproven: [] }

async function withLog(
  t: Parameters<typeof openResources>[0],
  flags = 4,
  key: string | null = 'key',
) {
  const resources = await openResources(t)
  setKeys(resources, key === null ? new ChainKeys() : new ChainKeys(key))
  for (let number = 1; number <= flags; number += 1) {
    await resources.createFlag({ key: `f${number}`, name: 'F' })
  }
  const { changes } = await resources.listChanges({ after: 0 })
  return { ...resources, revisions: changes.map(({ revision }) => revision), changes }
}

function setKeys({ db }: Pick<Resources, 'db'>, keys: ChainKeys) {
  configureLog(db, { keys, dailyBytes: 2 ** 31 })
}

/** A write of a release that does not know the log. */
async function writeWithoutLog({ db }: Pick<Resources, 'db'>): Promise<number> {
  const [row] = await db.query<{ revision: number }>(
    `UPDATE resource.namespaces SET revision = nextval('resource.revisions')
      WHERE key = 'default' RETURNING revision`,
  )
  return Number(row?.revision)
}

t.test('a log that is as it was written is intact, whole and in slices', async (t) => {
  const { verifyChanges, changes, revisions, createNamespace, deleteNamespace, deleteFlag } =
    await withLog(t, 5)
  const [first, , third, , last] = revisions
  t.strictSame(await verifyChanges({}), {
    ...whole,
    checked: 5,
    fromRevision: first,
    toRevision: last,
    head: changes[4]?.hash,
  })
  const slice = await verifyChanges({ limit: 3 })
  t.match(slice, { intact: true, checked: 3, fromRevision: first, toRevision: third, next: third })
  const rest = await verifyChanges({ after: slice.next, limit: 2 })
  t.match(rest, { intact: true, checked: 2, toRevision: last, next: last })
  t.match(await verifyChanges({ after: rest.next }), { ...whole, checked: 0, head: rest.head })
  await deleteFlag({ key: 'f1' })
  await createNamespace({ key: 'n', name: 'N' })
  await deleteNamespace({ key: 'n', force: true })
  t.match(await verifyChanges({ namespaceKey: 'n' }), { ...whole, checked: 2 })
  t.match(await verifyChanges({}), { ...whole, checked: 6 })
  await t.rejects(verifyChanges({ namespaceKey: 'never' }), {
    message: 'namespace "never" not found',
  })
  for (const request of [{ after: 0.5 }, { limit: 10_001 }]) {
    await t.rejects(verifyChanges(request), { code: 'invalid_argument' })
  }
})

t.test('a slice whose time is over ends after the change that it is at', async (t) => {
  const { db } = await withLog(t, 3)
  const { keys } = logSettingsOf(db)
  const start = { position: 0, keyId: '', hash: chainStart }
  const slice = new Slice({ namespaceKey: 'default', keys, start, proof: undefined })
  for (const checked of [1, 1]) {
    await db.transaction((tx) => slice.run(tx, 100, performance.now() - 1), { readOnly: true })
    t.match(slice, { check: { checked, fault: undefined }, isAtEnd: false })
  }
  await db.transaction((tx) => slice.run(tx, 100, Number.POSITIVE_INFINITY), { readOnly: true })
  t.match(slice, { check: { checked: 3, fault: undefined }, isAtEnd: true })
})

t.test('a namespace without any change is intact', async (t) => {
  const { verifyChanges } = await openResources(t)
  t.match(await verifyChanges({}), { ...whole, checked: 0, fromRevision: 0, toRevision: 0 })
})

t.test('what was written without the log is a gap and no break', async (t) => {
  const log = await withLog(t, 2)
  const { db, verifyChanges, createFlag, createNamespace } = log
  const from = log.revisions[1]
  const [, to] = [await writeWithoutLog(log), await writeWithoutLog(log)]
  const gap = { fromRevision: from, toRevision: to }
  t.match(await verifyChanges({}), { ...whole, gaps: [gap], checked: 2 })
  await createFlag({ key: 'g', name: 'G' })
  t.match(await verifyChanges({}), { ...whole, gaps: [gap], checked: 3 })
  const head = (await verifyChanges({})).toRevision
  const again = await writeWithoutLog(log)
  t.match(await verifyChanges({}), {
    ...whole,
    gaps: [gap, { fromRevision: head, toRevision: again }],
  })
  t.match(await verifyChanges({ after: from, limit: 1 }), { intact: true, gaps: [gap] })
  await createNamespace({ key: 'n', name: 'N' })
  await db.query(`DELETE FROM resource.namespaces WHERE key = 'n'`)
  const { gaps, ...rest } = await verifyChanges({ namespaceKey: 'n' })
  t.match(rest, { intact: true })
  t.strictSame(
    gaps,
    [{ fromRevision: rest.toRevision }],
    'deleted, at a revision that is not known',
  )
  await db.query(`INSERT INTO resource.namespaces (key, name) VALUES ('old', 'O')`)
  t.match(await verifyChanges({ namespaceKey: 'old' }), { ...whole, checked: 0 })
  await db.query(
    `UPDATE resource.namespaces SET revision = nextval('resource.revisions') WHERE key = 'old'`,
  )
  t.match(await verifyChanges({ namespaceKey: 'old' }), {
    intact: true,
    gaps: [{ fromRevision: 0 }],
  })
})

t.test('keys: an unknown one is named, and rows without one are listed', async (t) => {
  const log = await withLog(t, 2, null)
  const { verifyChanges, createFlag, revisions } = log
  t.match(await verifyChanges({}), whole, 'without any key')
  setKeys(log, new ChainKeys('older'))
  await createFlag({ key: 'g', name: 'G' })
  const [first, second] = revisions
  const unkeyed = { keyId: '', fromRevision: first, toRevision: second, count: 2 }
  t.match(await verifyChanges({}), { ...whole, unproven: [unkeyed] })
  setKeys(log, new ChainKeys('newer'))
  const keyId = new ChainKeys('older').currentId
  const { toRevision } = await verifyChanges({})
  const unknown = { keyId, fromRevision: toRevision, toRevision, count: 1 }
  const verification = await verifyChanges({})
  t.match(verification, {
    intact: false,
    fault: `unknown key ${keyId}`,
    checked: 3,
    unproven: [unkeyed, unknown],
  })
  t.notOk('brokenAt' in verification)
  setKeys(log, new ChainKeys('newer', ['older']))
  t.match(await verifyChanges({}), { ...whole, unproven: [unkeyed] })
})

t.test('a namespace is verified by one request at a time', async (t) => {
  const { db, verifyChanges } = await withLog(t, 1)
  const unavailable = { code: 'unavailable', message: /being verified/ }
  const lock = `SELECT pg_advisory_xact_lock(hashtextextended('resource.verification default', 0))`
  await db.transaction(async (tx) => {
    await tx.query(lock)
    await t.rejects(verifyChanges({}), unavailable, 'another process does')
  })
  const both = await Promise.allSettled([verifyChanges({}), verifyChanges({})])
  t.match(
    both.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  t.match(both[1], { reason: unavailable })
  t.match(await verifyChanges({}), whole)
})
