import { openDatabase } from '@svc/database'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { log, makeDraft } from '../testing/drafts.ts'
import { openResources, type Resources } from '../testing/resources.ts'
import { assignDrafts, insertApplication } from './applications.store.ts'
import { operationsOf } from './draft-operations.ts'
import { sweepDrafts } from './sweep.ts'

const flag = (key: string) =>
  ({ kind: 'FLAG_KIND', key, flag: { name: key, type: 'BOOLEAN_FLAG_TYPE' } }) as const

async function makeExpired(resources: Resources): Promise<string> {
  const id = await makeDraft(resources, {}, [flag('f'), flag('g')])
  await resources.db.query(
    `UPDATE resource.drafts SET created_at = created_at - interval '24 hours' WHERE id = $1`,
    [id],
  )
  return id
}

t.test('a draft that is to be applied since it was found is left alone', async (t) => {
  const resources = await openResources(t)
  const { db } = resources
  const id = await makeExpired(resources)
  const other = openDatabase(db.url, { name: 'other', maxConnections: 1, log })
  t.teardown(() => other.close())
  let sweeping: Promise<void> | undefined
  await other.transaction(async (tx) => {
    await tx.query('SELECT FROM resource.drafts WHERE id = $1 FOR UPDATE', [id])
    const caller = { tokenId: 'id', principal: 'p', method: 'METHOD_TOKEN', name: 'N' }
    const application = await insertApplication(tx, {
      ...{ caller: { ...caller, namespaceKey: null }, address: '', requestId: '' },
      ...{ comment: '', draftCount: 1 },
    })
    await assignDrafts(tx, application, [{ id, plan: '' }])
    sweeping = sweepDrafts(db, log)
    await waitFor(async () => (await db.query('SELECT FROM pg_locks WHERE NOT granted')).length > 0)
  })
  await sweeping
  t.match(await db.query('SELECT id FROM resource.drafts'), [{ id }])
  t.equal((await db.query('SELECT FROM resource.draft_operations')).length, 2)
})

t.test('a draft that cannot be deleted keeps no other from it', async (t) => {
  const resources = await openResources(t)
  const { db } = resources
  const [stuck, large] = [await makeExpired(resources), await makeExpired(resources)]
  await db.query(
    `INSERT INTO resource.draft_operations
     SELECT draft_id, kind, key || n, part, place + n * 2, is_deletion, content
       FROM resource.draft_operations, generate_series(1, 600) AS n WHERE draft_id = $1`,
    [large],
  )
  await db.query(`CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS
                  $$ BEGIN RAISE 'no'; END $$`)
  await db.query(`CREATE TRIGGER stop BEFORE DELETE ON resource.draft_operations FOR EACH ROW
                    WHEN (OLD.draft_id = '${stuck}') EXECUTE FUNCTION stop()`)
  const errors = t.capture(log, 'error')
  await sweepDrafts(db, log)
  const left = () => db.query('SELECT DISTINCT draft_id AS id FROM resource.draft_operations')
  t.strictSame(await left(), [{ id: stuck }])
  t.match(errors(), [{ args: [{ draft: stuck }, /tried again/] }])
  await db.query('DROP TRIGGER stop ON resource.draft_operations')
  await sweepDrafts(db, log)
  t.strictSame(await left(), [])
  t.strictSame(await db.query('SELECT FROM resource.draft_parts'), [])
})

t.test('operations that are gone since they were listed are not passed over', async (t) => {
  const resources = await openResources(t)
  const { db } = resources
  const id = await makeDraft(resources, {}, [flag('f'), flag('g')])
  const { listed, load } = await operationsOf(db, { id, namespaceKey: 'default' })
  await db.query(`DELETE FROM resource.draft_operations WHERE key = 'g'`)
  await t.rejects(load(db, listed), { code: 'not_found', reason: 'draft_not_found' })
})
