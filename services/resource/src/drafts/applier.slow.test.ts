import { openDatabase } from '@svc/database'
import t from 'tap'
import { maxOperations } from '../apply/limits.ts'
import { applierOn, log, makeDraft } from '../testing/drafts.ts'
import { readLog } from '../testing/log.ts'
import { openResources } from '../testing/resources.ts'
import { sweepDrafts } from './sweep.ts'

const flag = (key: string, more: object = {}) =>
  ({ kind: 'FLAG_KIND', key, flag: { name: key, type: 'BOOLEAN_FLAG_TYPE', ...more } }) as const

t.test('drafts of several namespaces are all applied, or none', async (t) => {
  const resources = await openResources(t)
  const { db, applyDrafts, getDraft, revision } = resources
  const names = ['a', 'b', 'c']
  for (const key of names) await resources.createNamespace({ key, name: key })
  const make = async () => {
    const drafts = []
    for (const namespaceKey of names) {
      const draft = { namespaceKey, manager: `of-${namespaceKey}` }
      drafts.push({ namespaceKey, id: await makeDraft(resources, draft, [flag('f')]) })
    }
    return drafts
  }
  await resources.apply({ namespaceKey: 'c', manager: 'other', operations: [flag('f')] })
  const drafts = await make()
  const before = await Promise.all(names.map(revision))
  await applyDrafts({ drafts })
  await applierOn(db).run()
  for (const draft of drafts) {
    t.match(await getDraft(draft), {
      ...{ state: 'FAILED_DRAFT_STATE', failureReason: 'managed_by_other', revision: 0 },
      failure: 'parts[1].operations[0]: flag "c/f" is kept by "other"',
    })
  }
  t.strictSame(await Promise.all(names.map(revision)), before)

  await resources.deleteFlag({ namespaceKey: 'c', key: 'f' })
  const { drafts: asked } = await applyDrafts({ drafts })
  t.equal(new Set(asked.map(({ applicationId }) => applicationId)).size, 1)
  await applierOn(db).run()
  const revisions = []
  for (const draft of drafts) revisions.push((await getDraft(draft)).revision)
  t.strictSame(revisions, await Promise.all(names.map(revision)))
  t.equal(new Set(revisions).size, 3)
  for (const key of names) {
    const [last] = (await readLog(db, key)).slice(-1)
    t.match(last, { source: 'apply', details: `{"manager":"of-${key}"}`, items: [{ key: 'f' }] })
  }

  const [first = { namespaceKey: '', id: '' }] = drafts
  await t.rejects(applyDrafts({ drafts: [first, first] }), {
    message: 'drafts[1]: invalid field namespaceKey: names a namespace for the second time',
  })
  await t.rejects(applyDrafts({ drafts: [first] }), {
    ...{ code: 'failed_precondition', reason: 'draft_closed' },
  })
})

t.test('a process that ends midway leaves nothing, and another one does it', async (t) => {
  const resources = await openResources(t)
  const { db, applyDrafts, getDraft, revision } = resources
  const keys = Array.from({ length: 300 }, (_, n) => `f${n}`)
  const id = await makeDraft(
    resources,
    {},
    keys.map((key) => flag(key)),
  )
  await applyDrafts({ drafts: [{ id }] })
  const before = await revision()
  const applier = applierOn(db)
  const running = applier.run()
  await applier.close()
  await running
  t.equal(await revision(), before)
  t.match(await getDraft({ id }), { state: 'APPLYING_DRAFT_STATE' })
  await Promise.all([applierOn(db).run(), applierOn(db).run()])
  t.match(await getDraft({ id }), { state: 'APPLIED_DRAFT_STATE', revision: await revision() })
  t.equal((await readLog(db)).length, 1)
})

t.test('drafts wait for a busy namespace, but not forever', async (t) => {
  const resources = await openResources(t)
  const { db, applyDrafts, getDraft } = resources
  const id = await makeDraft(resources, {}, [flag('f')])
  await applyDrafts({ drafts: [{ id }] })
  const other = openDatabase(db.url, { name: 'other', maxConnections: 1, log })
  t.teardown(() => other.close())
  await other.transaction(async (tx) => {
    await tx.query('SELECT FROM resource.draft_applications FOR UPDATE')
    await applierOn(db).run()
  })
  t.match(await getDraft({ id }), { state: 'APPLYING_DRAFT_STATE' })
  await db.query(
    `UPDATE resource.draft_applications SET requested_at = requested_at - interval '11 minutes'`,
  )
  await applierOn(db).run()
  t.match(await getDraft({ id }), {
    ...{ state: 'FAILED_DRAFT_STATE', failureReason: 'unavailable' },
    failure: /^not applied within 10 minutes/,
  })
})

t.test('drafts of which a statement takes too long are tried twice', async (t) => {
  const resources = await openResources(t)
  const { db, applyDrafts, getDraft, revision } = resources
  await db.query(`CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS
                  $$ BEGIN PERFORM pg_sleep(30); RETURN NEW; END $$`)
  await db.query(`CREATE TRIGGER pause BEFORE INSERT ON resource.flags
                     FOR EACH ROW EXECUTE FUNCTION pause()`)
  const id = await makeDraft(resources, {}, [flag('f')])
  const before = await revision()
  await applyDrafts({ drafts: [{ id }] })
  const applier = applierOn(db)
  await applier.run()
  t.match(await getDraft({ id }), { state: 'APPLYING_DRAFT_STATE' }, 'it may pass')
  // After a pause of the machine the client may give up before the server does.
  for (let tries = 2; tries <= 4; tries += 1) {
    await applier.run()
    if ((await getDraft({ id })).state !== 'APPLYING_DRAFT_STATE') break
  }
  t.match(await getDraft({ id }), {
    ...{ state: 'FAILED_DRAFT_STATE', failureReason: 'unavailable' },
    failure: 'the database took too long: try again, and with less at once if it does again',
  })
  t.equal(await revision(), before)

  await db.query('DROP TRIGGER pause ON resource.flags')
  await applyDrafts({ drafts: [{ id }] })
  await applier.run()
  t.match(await getDraft({ id }), { state: 'APPLIED_DRAFT_STATE', failure: '' })
})

t.test('drafts are bounded', async (t) => {
  const resources = await openResources(t)
  const { db, addOperations, createDraft, getDraft } = resources
  const tooMany = { code: 'resource_exhausted', reason: 'too_many_drafts' }

  await t.test('in operations', async (t) => {
    const { id } = await createDraft({})
    const part = (number: number, count: number) =>
      addOperations({
        ...{ id, part: number },
        operations: Array.from({ length: count }, (_, n) => ({
          ...({ kind: 'FLAG_KIND', key: `f-${number}-${n}`, delete: true } as const),
        })),
      })
    for (let n = 1; n <= maxOperations / 1000; n++) await part(n, 1000)
    t.match(await getDraft({ id }), { operationCount: maxOperations })
    await t.rejects(part(21, 1), { message: 'a draft has at most 20,000 operations' })
    await t.rejects(part(21, 1001), { message: /must contain at most 1000 elements/ })
    await resources.deleteDraft({ id })
    await resources.deleteDraft({ id })
  })

  await t.test('in bytes', async (t) => {
    const attachment = `"${'x'.repeat(700_000)}"`
    const large = (key: string) =>
      flag(key, { type: 'VARIANT_FLAG_TYPE', variants: [{ key: 'v', attachment }] })
    const { id } = await createDraft({})
    const part = (number: number, keys: readonly string[]) =>
      addOperations({ id, part: number, operations: keys.map((key) => large(`${key}${number}`)) })
    await t.rejects(part(1, ['a', 'b', 'c', 'd', 'e', 'f']), {
      message: 'a part has at most 4 MiB',
    })
    await part(1, ['a', 'b', 'c', 'd', 'e'])
    await db.query('UPDATE resource.drafts SET bytes = bytes + $1', [60 * 2 ** 20])
    await t.rejects(part(2, ['a']), { message: 'a draft has at most 64 MiB' })
    await db.query('UPDATE resource.drafts SET bytes = 255 * 1024 * 1024')
    const other = await createDraft({})
    await t.rejects(addOperations({ id: other.id, part: 1, operations: ['a', 'b'].map(large) }), {
      ...tooMany,
      message: /^namespace "default" has 256 MiB of drafts that were not applied: delete/,
    })
    t.match(await getDraft(other), { operationCount: 0, parts: [] })
    for (const draft of [{ id }, other]) await resources.deleteDraft(draft)
  })

  await t.test('in number, and dropped after a day', async (t) => {
    const ids = []
    for (let n = 0; n < 50; n++) ids.push((await createDraft({})).id)
    const [first = '', second = ''] = ids
    await t.rejects(createDraft({}), tooMany)
    await addOperations({ id: first, part: 1, operations: [flag('f')] })
    await addOperations({ id: second, part: 1, operations: [flag('g')] })
    await db.query(
      `UPDATE resource.drafts SET created_at = created_at - interval '24 hours' WHERE id = $1`,
      [first],
    )
    await t.rejects(getDraft({ id: first }), { code: 'not_found' })
    await createDraft({})
    await t.rejects(createDraft({}), tooMany, 'what is too old is none of them')
    await sweepDrafts(db, log)
    const left = await db.query<{ draftId: string }>(
      'SELECT draft_id AS "draftId" FROM resource.draft_operations',
    )
    t.strictSame(left, [{ draftId: second }])
    await resources.applyDrafts({ drafts: [{ id: second }] })
    await applierOn(db).run()
    await sweepDrafts(db, log)
    t.strictSame(await db.query('SELECT FROM resource.draft_operations'), [])
    t.match(await getDraft({ id: second }), { state: 'APPLIED_DRAFT_STATE', parts: [1] })
    t.match(await createDraft({}), { state: 'OPEN_DRAFT_STATE' })
    await t.rejects(createDraft({}), tooMany)
  })
})
