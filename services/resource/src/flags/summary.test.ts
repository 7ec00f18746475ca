import t from 'tap'
import { observed } from '../testing/observed.ts'
import { handlersOn, openResources, type Resources } from '../testing/resources.ts'

const isTrue = { type: 'BOOLEAN_COMPARISON_TYPE', property: 'p', operator: 'true' } as const

async function createContent(resources: Resources): Promise<void> {
  const { createFlag, createSegment, createConstraint, createRollout, createRule } = resources
  for (const key of ['all', 'also-all', 'some']) await createSegment({ key, name: key })
  await createConstraint({ segmentKey: 'some', ...isTrue })
  for (const key of ['share', 'unknown', 'any', 'every', 'empty']) {
    await createFlag({ key, name: key, type: 'BOOLEAN_FLAG_TYPE' })
  }
  const threshold = (percentage: number, value = true) => ({ threshold: { percentage, value } })
  const segment = (
    segmentKeys: string[],
    segmentOperator: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR',
  ) => ({
    segment: { segmentKeys, segmentOperator, value: true },
  })
  await createRollout({ flagKey: 'share', ...threshold(33.33) })
  await createRollout({ flagKey: 'share', ...threshold(20) })
  await createRollout({ flagKey: 'unknown', ...segment(['all', 'some'], 'AND_SEGMENT_OPERATOR') })
  await createRollout({ flagKey: 'any', ...threshold(10, false) })
  await createRollout({ flagKey: 'any', ...segment(['some', 'all'], 'OR_SEGMENT_OPERATOR') })
  await createRollout({ flagKey: 'every', ...segment(['all', 'also-all'], 'AND_SEGMENT_OPERATOR') })
  await createFlag({ key: 'color', name: 'Color', enabled: true })
  const { id } = await resources.createVariant({ flagKey: 'color', key: 'blue' })
  await createRule({ flagKey: 'color', segmentKeys: ['some'], rank: 1 })
  await createRule({ flagKey: 'color', segmentKeys: ['some', 'all'], rank: 2 })
  await resources.updateFlag({ key: 'color', name: 'Color', enabled: true, defaultVariantId: id })
}

t.test('the view SUMMARY of lists', async (t) => {
  const resources = await openResources(t)
  const { listFlags, listSegments, listNamespaces, getNamespace, revision, db } = resources
  await createContent(resources)
  const { flags } = await listFlags({ view: 'SUMMARY' })
  const summaries = Object.fromEntries(flags.map(({ key, summary }) => [key, summary]))

  await t.test('says what the rules say', async (t) => {
    t.match(summaries.share, { ruleCount: 0, rolloutCount: 2, onShare: 33.33 })
    t.match(summaries.unknown, { rolloutCount: 1, onShare: undefined })
    t.match(summaries.any, { rolloutCount: 2, onShare: 90 })
    t.match(summaries.every, { rolloutCount: 1, onShare: 100 })
    t.match(summaries.empty, { rolloutCount: 0, onShare: 0, defaultVariantKey: undefined })
    const color = { ruleCount: 2, rolloutCount: 0, onShare: undefined, defaultVariantKey: 'blue' }
    t.match(summaries.color, color)
  })

  await t.test('says who made the last change', async (t) => {
    const { revision: last = 0, changedBy, changedAt } = summaries.color ?? {}
    t.equal(last, await revision())
    t.match(changedBy, { id: 'anonymous', address: '' })
    const { changes } = await resources.listChanges({ limit: 1 })
    t.strictSame(changedAt, changes[0]?.at)
    // As by a process of the release before, which logs nothing.
    await db.query("UPDATE resource.flags SET revision = revision + 1000 WHERE key = 'color'")
    const { flags } = await listFlags({ view: 'SUMMARY', q: 'color' })
    t.match(flags, [{ summary: { revision: last + 1000 } }])
    t.notOk(flags[0]?.summary?.changedBy)
    t.notOk(flags[0]?.summary?.changedAt)
  })

  await t.test('is a part of pages, filters and orders', async (t) => {
    const first = await listFlags({ view: 'SUMMARY', sort: 'key', limit: 1 })
    t.match(first.flags, [{ key: 'any', summary: { onShare: 90 } }])
    const { nextPageToken: pageToken } = first
    const next = await listFlags({ sort: 'key', limit: 1, pageToken })
    t.match(next.flags, [{ key: 'color' }])
    t.notOk('summary' in (next.flags[0] ?? {}), 'a page may have another view')
  })

  await t.test('of segments says who uses them, each flag once', async (t) => {
    const { segments } = await listSegments({ view: 'SUMMARY' })
    t.match(segments, [
      { key: 'all', usedBy: 4, matchesEveryone: true },
      { key: 'also-all', usedBy: 1, matchesEveryone: true },
      { key: 'some', usedBy: 3, matchesEveryone: false },
    ])
    t.equal((await listFlags({ segment: 'all' })).totalCount, 4)
  })

  await t.test('of namespaces counts', async (t) => {
    const counts = { flagCount: 6, segmentCount: 3 }
    t.match((await listNamespaces({ view: 'SUMMARY' })).namespaces, [counts])
    t.match(await getNamespace({ key: 'default', view: 'SUMMARY' }), counts)
  })

  await t.test('is there only when it is asked for', async (t) => {
    const { flags } = await listFlags({ view: '' })
    t.notOk(flags.some((flag) => 'summary' in flag))
    const { segments } = await listSegments({})
    t.notOk(segments.some((segment) => 'usedBy' in segment || 'matchesEveryone' in segment))
    t.notOk('flagCount' in (await getNamespace({ key: 'default' })))
    await t.rejects(listFlags({ view: 'FULL' }), { message: /view/ })
  })
})

t.test('flags are found by a segment that they use', async (t) => {
  const resources = await openResources(t)
  const { listFlags } = resources
  await createContent(resources)
  await resources.createNamespace({ key: 'other', name: 'Other' })
  const keysOf = async (query: Parameters<typeof listFlags>[0]) => {
    const { flags, totalCount } = await listFlags(query)
    t.equal(totalCount, flags.length)
    return flags.map(({ key }) => key)
  }
  t.strictSame(await keysOf({ segment: 'some' }), ['unknown', 'any', 'color'])
  t.strictSame(await keysOf({ segment: 'some', type: 'VARIANT_FLAG_TYPE' }), ['color'])
  t.strictSame(await keysOf({ segment: 'also-all', view: 'SUMMARY', sort: '-key' }), ['every'])
  t.strictSame(await keysOf({ segment: 'none' }), [])
  t.strictSame(await keysOf({ namespaceKey: 'other', segment: 'some' }), [])
  await t.rejects(listFlags({ segment: 'a b' }), { message: /segment: contains invalid/ })
})

t.test('a list with the view is one query', async (t) => {
  const resources = await openResources(t)
  await createContent(resources)
  let statements = 0
  const onRows = () => {
    statements += 1
  }
  const lists = handlersOn(observed(resources.db, { onRows }))
  await lists.listFlags({ view: 'SUMMARY', segment: 'some', limit: 50 })
  t.equal(statements, 1)
  await lists.listSegments({ view: 'SUMMARY', limit: 50 })
  await lists.listNamespaces({ view: 'SUMMARY', limit: 50 })
  t.equal(statements, 3)
})
