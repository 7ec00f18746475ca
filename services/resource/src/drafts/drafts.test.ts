import t from 'tap'
import { anonymous } from '../authorize-call.ts'
import { applierOn, log, makeDraft } from '../testing/drafts.ts'
import { hashesOf, readLog } from '../testing/log.ts'
import { openResources } from '../testing/resources.ts'
import { sweepDrafts } from './sweep.ts'

const flag = (key: string, more: object = {}) =>
  ({ kind: 'FLAG_KIND', key, flag: { name: key, type: 'BOOLEAN_FLAG_TYPE', ...more } }) as const
const segment = (key: string) => ({ kind: 'SEGMENT_KIND', key, segment: { name: key } }) as const
const deletion = (key: string) => ({ kind: 'FLAG_KIND', key, delete: true }) as const
const using = (key: string) => ({
  rollouts: [{ segment: { segments: [key], value: true } }],
})

const closed = { code: 'failed_precondition', reason: 'draft_closed' }
const changed = { code: 'failed_precondition', reason: 'plan_changed' }

t.test('a draft', async (t) => {
  const resources = await openResources(t)
  const { db, addOperations, applyDrafts, getDraft, getFlagDocument, planDraft } = resources
  const applier = applierOn(db)

  await t.test('is done as one change, whatever the order of its parts', async (t) => {
    const before = await resources.revision()
    const draft = { manager: 'git', details: { from: 'staging:7' } }
    const id = await makeDraft(resources, draft, [flag('f', using('s'))], [segment('s'), flag('g')])
    t.match(await getDraft({ id }), {
      ...{ state: 'OPEN_DRAFT_STATE', manager: 'git', parts: [1, 2], operationCount: 3 },
      ...{
        namespaceKey: 'default',
        revision: 0,
        applicationId: '',
        details: { from: 'staging:7' },
      },
    })
    t.equal(await resources.revision(), before, 'nothing is done yet')
    const caller = {
      ...{
        tokenId: 'a',
        principal: 'ann',
        method: 'METHOD_TOKEN',
        name: 'Ann',
        namespaceKey: null,
      },
    }
    const metadata: Readonly<Record<string, string>> = {
      'svc-request-id': 'request-1',
      'svc-client-address': '10.0.0.7',
    }
    const context = { caller, get: (name: string) => metadata[name], setTrailer() {} }
    const asked = await applyDrafts({ drafts: [{ id }], comment: 'import' }, context)
    t.match(asked.drafts, [{ id, state: 'APPLYING_DRAFT_STATE' }])
    await applier.run()
    const revision = Number(await resources.revision())
    t.match(await getDraft({ id }), { state: 'APPLIED_DRAFT_STATE', revision, failure: '' })
    const log = await readLog(db)
    t.match(log, [
      {
        ...{ revision, actor: 'ann', address: '10.0.0.7', source: 'apply', comment: 'import' },
        ...{ requestId: 'request-1', details: '{"from":"staging:7","manager":"git"}' },
        items: [{ key: 's' }, { key: 'f' }, { key: 'g' }],
      },
    ])
    t.strictSame(
      log.map(({ hash }) => hash),
      hashesOf(log),
    )
    t.equal((await getFlagDocument({ key: 'f' })).managedBy, 'git')
  })

  await t.test('is done once, however often it is asked for', async (t) => {
    const id = await makeDraft(resources, {}, [flag('once')])
    const ask = () => applyDrafts({ drafts: [{ id }] })
    const [first, second] = [await ask(), await ask()]
    t.equal(first.drafts[0]?.applicationId, second.drafts[0]?.applicationId)
    await Promise.all([applier.run(), applierOn(db).run(), applierOn(db).run()])
    const revision = await resources.revision()
    t.match((await ask()).drafts, [{ state: 'APPLIED_DRAFT_STATE', revision }])
    await applier.run()
    t.equal(await resources.revision(), revision)
    await t.rejects(addOperations({ id, part: 9, operations: [flag('late')] }), closed)
  })

  await t.test('that changes nothing says so with the present revision', async (t) => {
    const id = await makeDraft(resources, {}, [flag('once')])
    const revision = await resources.revision()
    await applyDrafts({ drafts: [{ id }] })
    await applier.run()
    t.match(await getDraft({ id }), { state: 'APPLIED_DRAFT_STATE', revision })
    t.equal(await resources.revision(), revision)
  })

  await t.test('takes each part once', async (t) => {
    const id = await makeDraft(resources, {}, [flag('p'), segment('p')])
    const again = await addOperations({ id, part: 1, operations: [flag('p'), segment('p')] })
    t.match(again, { parts: [1], operationCount: 2 })
    const refuse = (part: number, operations: Parameters<typeof addOperations>[0]['operations']) =>
      addOperations({ id, part, operations })
    await t.rejects(refuse(1, [flag('p')]), {
      code: 'already_exists',
      reason: 'draft_part_not_unique',
      message: `draft "${id}" has a part 1 with other operations`,
    })
    await t.rejects(refuse(2, [flag('q'), segment('p')]), {
      code: 'invalid_argument',
      message: 'operations[1]: parts[1].operations[1] is about the same segment',
    })
    await t.rejects(refuse(2, [flag('q'), flag('q')]), {
      message: 'operations[1]: operations[0] is about the same flag',
    })
    await t.rejects(refuse(2, [flag('q'), flag('r', { variants: [{ key: '' }] })]), {
      code: 'invalid_argument',
      message: /^operations\[1\]: variants\[0\]: invalid field key/,
    })
    await t.rejects(refuse(0, [flag('q')]), { message: /^invalid field part: must be greater/ })
    await t.rejects(refuse(2, []), { message: /^invalid field operations: must contain/ })
    t.match(await getDraft({ id }), { parts: [1], operationCount: 2 }, 'nothing of it was added')
  })

  await t.test('belongs to its namespace, and goes with it', async (t) => {
    await resources.createNamespace({ key: 'n', name: 'N' })
    const id = await makeDraft(resources, { namespaceKey: 'n' }, [flag('f')])
    const unknown = { code: 'not_found', message: `draft "${id}" not found` }
    await t.rejects(getDraft({ id }), unknown)
    await t.rejects(planDraft({ id }), unknown)
    await t.rejects(addOperations({ id, part: 2, operations: [flag('g')] }), unknown)
    await t.rejects(applyDrafts({ drafts: [{ id }] }), unknown)
    await resources.deleteDraft({ id })
    t.match(await getDraft({ namespaceKey: 'n', id }), { state: 'OPEN_DRAFT_STATE' })
    await applyDrafts({ drafts: [{ namespaceKey: 'n', id }] })
    await t.rejects(resources.deleteDraft({ namespaceKey: 'n', id }), closed)
    await resources.deleteNamespace({ key: 'n' })
    await resources.createNamespace({ key: 'n', name: 'N' })
    await applier.run()
    await t.rejects(getDraft({ namespaceKey: 'n', id }), unknown)
    await t.rejects(getFlagDocument({ namespaceKey: 'n', key: 'f' }), { code: 'not_found' })
    await sweepDrafts(db, log)
    const left = await db.query('SELECT FROM resource.draft_operations WHERE draft_id = $1', [id])
    t.equal(left.length, 0)
    await t.rejects(resources.createDraft({ namespaceKey: 'none' }), {
      message: 'namespace "none" not found',
    })
  })

  await t.test(
    'that cannot be done leaves nothing, says why, and is done when it can',
    async (t) => {
      const revision = await resources.revision()
      const id = await makeDraft(resources, {}, [flag('a')], [flag('b', using('missing'))])
      await applyDrafts({ drafts: [{ id }] })
      await applier.run()
      t.match(await getDraft({ id }), {
        state: 'FAILED_DRAFT_STATE',
        failureReason: 'segment_not_found',
        failure: 'parts[2].operations[0]: segment "default/missing" not found',
      })
      t.equal(await resources.revision(), revision)
      await t.rejects(getFlagDocument({ key: 'a' }), { code: 'not_found' })
      await addOperations({ id, part: 3, operations: [segment('missing')] })
      await applyDrafts({ drafts: [{ id }] })
      await applier.run()
      t.match(await getDraft({ id }), { state: 'APPLIED_DRAFT_STATE', failure: '' })
    },
  )

  await t.test('is listed, the newest first, in pages', async (t) => {
    const all = (await resources.listDrafts({})).drafts.map(({ id }) => id)
    const pages: string[] = []
    let pageToken = ''
    do {
      const page = await resources.listDrafts({ limit: 2, pageToken })
      pages.push(...page.drafts.map(({ id }) => id))
      pageToken = page.nextPageToken
    } while (pageToken !== '')
    t.strictSame(pages, all)
    t.ok(all.length > 4)
  })
})

t.test('why drafts of several namespaces failed', async (t) => {
  const resources = await openResources(t)
  const { db, apply, applyDrafts, getDraft, listDrafts } = resources
  const boundTo = (namespaceKey: string) => ({
    ...{ caller: { ...anonymous, tokenId: 'id', namespaceKey }, get: () => undefined },
    setTrailer() {},
  })
  for (const key of ['a', 'b']) await resources.createNamespace({ key, name: key })
  await apply({ namespaceKey: 'b', operations: [flag('unreleased', { description: 'private' })] })
  const expecting = { ...flag('unreleased'), expect: { description: 'other' } }
  const a = { namespaceKey: 'a', id: '' }
  const b = { namespaceKey: 'b', id: '' }
  a.id = await makeDraft(resources, { namespaceKey: 'a' }, [flag('f')])
  b.id = await makeDraft(resources, { namespaceKey: 'b' }, [expecting])
  await applyDrafts({ drafts: [a, b] })
  await applierOn(db).run()
  const text = 'parts[1].operations[0]: flag "b/unreleased": description is "private", not "other"'
  const failed = { state: 'FAILED_DRAFT_STATE', failureReason: 'expectation_failed' }
  const elsewhere = { ...failed, failure: 'a draft of another namespace could not be applied' }

  await t.test('is told to a caller of all of them', async (t) => {
    for (const draft of [a, b]) t.match(await getDraft(draft), { ...failed, failure: text })
  })

  await t.test('is told to a caller that is bound to the namespace that it is about', async (t) => {
    t.match(await getDraft(b, boundTo('b')), { ...failed, failure: text })
  })

  await t.test('is not told to a caller that is bound to another one', async (t) => {
    const bound = boundTo('a')
    t.match(await getDraft(a, bound), elsewhere)
    t.match((await listDrafts({ namespaceKey: 'a' }, bound)).drafts, [elsewhere])
    const part = { ...a, part: 2, operations: [flag('g')] }
    t.match(await resources.addOperations(part, bound), elsewhere)
  })

  await t.test(
    'is not told to a bound caller when a release before 1.2 has noted it',
    async (t) => {
      const { caller } = boundTo('a')
      await db.query('UPDATE resource.draft_applications SET caller = $1', [JSON.stringify(caller)])
      for (const draft of [a, b]) {
        t.match(await getDraft(draft), { failure: text })
        t.match(await getDraft(draft, boundTo(draft.namespaceKey)), {
          ...failed,
          failure: 'drafts of several namespaces could not be applied together',
        })
      }
    },
  )

  await t.test('is told to all when it is about none of them', async (t) => {
    await applyDrafts({ drafts: [a, b] })
    await db.query(
      `UPDATE resource.draft_applications SET requested_at = requested_at - interval '11 minutes'`,
    )
    await applierOn(db).run()
    const late = { failureReason: 'unavailable', failure: /^not applied within 10 minutes/ }
    for (const draft of [a, b]) t.match(await getDraft(draft, boundTo(draft.namespaceKey)), late)
  })

  await t.test('is told of a draft that was applied alone', async (t) => {
    await applyDrafts({ drafts: [b] }, boundTo('b'))
    await applierOn(db).run()
    t.match(await getDraft(b, boundTo('b')), { ...failed, failure: text })
  })
})

t.test('the plan of a draft', async (t) => {
  const resources = await openResources(t)
  const { db, apply, applyDrafts, planDraft } = resources
  const readPlan = async (id: string, limit: number) => {
    const items = []
    const plans = new Set<string>()
    let [unchanged, pageToken, pages] = [0, '', 0]
    do {
      const page = await planDraft({ id, limit, pageToken })
      items.push(...page.items)
      plans.add(page.plan)
      unchanged += page.unchanged
      pageToken = page.nextPageToken
      pages += 1
    } while (pageToken !== '')
    return { items, unchanged, plans: [...plans], pages }
  }

  await t.test('is that of an apply, in pages', async (t) => {
    const keys = Array.from({ length: 25 }, (_, n) => `f${n}`)
    await apply({ operations: [flag('f0'), flag('f1', { name: 'Other' }), flag('gone')] })
    const operations = [...keys.map((key) => flag(key, using('s'))), segment('s'), deletion('gone')]
    const { items, unchanged } = await apply({ operations, dryRun: true })
    const id = await makeDraft(resources, {}, operations.slice(0, 9), operations.slice(9))
    const plan = await readPlan(id, 4)
    // A new part of a flag gets another id each time.
    const withoutIds = (value: unknown) => JSON.stringify(value).replace(/\\"id\\":\\"[^"]*",/g, '')
    t.equal(withoutIds(plan.items), withoutIds(items))
    t.strictSame([plan.unchanged, plan.pages], [unchanged, 7])
    t.equal(plan.plans.length, 1)
    t.strictSame((await readPlan(id, 1000)).plans, plan.plans)
    t.match(await planDraft({ id, limit: 1 }), { operationCount: 27 })

    const first = await planDraft({ id, limit: 4 })
    await apply({ operations: [flag('f1', { name: 'Third' })] })
    await t.rejects(planDraft({ id, limit: 4, pageToken: first.nextPageToken }), changed)
    await applyDrafts({ drafts: [{ id, plan: first.plan }] })
    await applierOn(db).run()
    t.match(await resources.getDraft({ id }), { failureReason: 'plan_changed' })
    const anew = await planDraft({ id })
    t.not(anew.plan, first.plan)
    await applyDrafts({ drafts: [{ id, plan: anew.plan }] })
    await applierOn(db).run()
    t.match(await resources.getDraft({ id }), { state: 'APPLIED_DRAFT_STATE' })
    await t.rejects(planDraft({ id, pageToken: 'x' }), { message: /^pageToken is not valid/ })
  })

  await t.test('refuses what the draft would be refused for', async (t) => {
    await apply({ operations: [segment('used'), flag('user', using('used'))] })
    const drop = { kind: 'SEGMENT_KIND', key: 'used', delete: true } as const
    const inUse = (label: string, key: string) => ({
      message: `${label}: segment "default/used" is in use by flag "${key}"`,
    })
    const plan = async (...parts: Parameters<typeof makeDraft>[2][]) =>
      planDraft({ id: await makeDraft(resources, {}, ...parts) })
    await t.rejects(plan([drop]), inUse('parts[1].operations[0]', 'user'))
    await t.rejects(
      plan([drop], [flag('new', using('used'))]),
      inUse('parts[2].operations[0]', 'new'),
    )
    const same = { kind: 'FLAG_KIND', key: 'user', patch: {} } as const
    await t.rejects(plan([drop, same]), inUse('parts[1].operations[1]', 'user'))
    await t.rejects(plan([flag('new', using('nothing'))]), {
      message: 'parts[1].operations[0]: segment "default/nothing" not found',
    })
    await t.rejects(plan([{ kind: 'FLAG_KIND', key: 'no', patch: { enabled: true } }]), {
      message: 'parts[1].operations[0]: flag "default/no" not found',
    })
    const { items } = await plan([drop, { ...flag('user') }])
    t.match(items, [{ action: 'UPDATED_ACTION' }, { action: 'DELETED_ACTION' }])
  })

  await t.test(
    'prunes by the whole draft, and not without a plan where that is much',
    async (t) => {
      const keys = Array.from({ length: 24 }, (_, n) => `k${n}`)
      const draft = { manager: 'git', prune: true }
      await apply({ manager: 'git', operations: keys.map((key) => flag(key)) })
      const halves = [keys.slice(0, 11), keys.slice(11, 23)].map((half) =>
        half.map((key) => flag(key)),
      )
      const id = await makeDraft(resources, draft, ...halves)
      t.match(await planDraft({ id }), { unchanged: 23, items: [{ key: 'k23' }] })
      await applyDrafts({ drafts: [{ id }] })
      await applierOn(db).run()
      t.match(await resources.getDraft({ id }), { state: 'APPLIED_DRAFT_STATE' })

      const much = await makeDraft(resources, draft, [flag('k0')])
      await applyDrafts({ drafts: [{ id: much }] })
      await applierOn(db).run()
      t.match(await resources.getDraft({ id: much }), { failureReason: 'prune_needs_plan' })
      const { plan, items } = await planDraft({ id: much })
      t.equal(items.length, 22)
      await applyDrafts({ drafts: [{ id: much, plan }] })
      await applierOn(db).run()
      t.match(await resources.getDraft({ id: much }), { state: 'APPLIED_DRAFT_STATE' })
      const { flags } = await resources.getNamespaceDocument({})
      t.strictSame(
        flags.map(({ key }) => key).filter((key) => keys.includes(key)),
        ['k0'],
      )
      await t.rejects(resources.createDraft({ prune: true }), { message: /takes a manager/ })
    },
  )
})
