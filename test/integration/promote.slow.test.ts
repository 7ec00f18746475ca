import { type Api, createApi } from '@svc/client/api'
import {
  type Content,
  canonicalText,
  type DocumentOf,
  findBases,
  type PromotePlan,
  type PromoteRequest,
  planPromotion,
  promotedContent,
  toDocument,
} from '@svc/documents'
import t, { type Test } from 'tap'
import { createRandom } from '../support/random.ts'
import { sendableFlags } from '../support/random-documents.ts'
import { startStack } from '../support/stack.ts'

const seed = 20_261_125

/** Flags of each side: each of them is a pair. */
const pairs = 200

type Flag = DocumentOf['flag']

/** Two namespaces, and what tests do in them. */
async function startPair(t: Test) {
  const { urls, token } = await startStack(t)
  const api = createApi({ url: urls[0], token })
  for (const key of ['staging', 'prod']) await api.namespaces.create({ key, name: key })
  return { api, ...functionsOf(api) }
}

function functionsOf(api: Api) {
  const read = async (namespaceKey: string): Promise<Content & { readonly revision: number }> => {
    const flags: Flag[] = []
    const segments: DocumentOf['segment'][] = []
    let pageToken = ''
    for (;;) {
      const page = await api.documents.getNamespace({ namespaceKey, limit: 1000, pageToken })
      flags.push(...page.flags.map((one) => toDocument('flag', one)))
      segments.push(...page.segments.map((one) => toDocument('segment', one)))
      pageToken = page.nextPageToken
      if (pageToken === '') return { flags, segments, revision: page.revision }
    }
  }

  const set = async (
    namespaceKey: string,
    { flags = [], segments = [] }: Partial<Content>,
    details?: { readonly from: string },
  ): Promise<number> => {
    const operations = [
      ...segments.map((segment) => ({ kind: 'SEGMENT_KIND' as const, key: segment.key, segment })),
      ...flags.map((flag) => ({ kind: 'FLAG_KIND' as const, key: flag.key, flag })),
    ]
    return (await api.documents.apply({ namespaceKey, operations, details })).revision
  }

  const planFor = async (
    flagKeys: readonly string[],
    more: Partial<PromoteRequest> = {},
  ): Promise<{ readonly plan: PromotePlan; readonly from: string }> => {
    const [source, target] = await Promise.all([read('staging'), read('prod')])
    const request = { source, target, flagKeys, ...more }
    const objects = planPromotion(request).objects.filter(({ verdict }) => verdict === 'updated')
    const base = await findBases(api, { sourceKey: 'staging', targetKey: 'prod', source, objects })
    return { plan: planPromotion({ ...request, base }), from: `staging:${source.revision}` }
  }

  /** @returns the revision of the target after it */
  const promote = async (flagKeys: readonly string[], more: Partial<PromoteRequest> = {}) => {
    const { plan, from } = await planFor(flagKeys, more)
    return set('prod', promotedContent(plan), { from })
  }

  const verdictOf = async (key: string) => (await planFor([key])).plan.objects.at(-1)?.verdict
  return { read, set, planFor, promote, verdictOf }
}

function flag(key: string, name: string): Flag {
  return toDocument('flag', { key, name, type: 'BOOLEAN_FLAG_TYPE' })
}

t.test('the common ancestor of two namespaces', async (t) => {
  const { api, set, promote, planFor, verdictOf } = await startPair(t)
  const [first, second, third] = [flag('f', 'one'), flag('f', 'two'), flag('f', 'three')]

  await t.test('there is none before the first promotion', async (t) => {
    await set('staging', { flags: [first] })
    await set('prod', { flags: [second] })
    t.equal(await verdictOf('f'), 'updated')
  })

  await t.test('it is what was promoted last', async (t) => {
    await promote(['f'])
    t.equal(await verdictOf('f'), 'equal')
    await set('staging', { flags: [second] })
    t.equal(await verdictOf('f'), 'updated')
    await set('prod', { flags: [third] })
    t.equal(await verdictOf('f'), 'conflict')
    t.match((await planFor(['f'])).plan.objects, [
      {
        sourceChanges: [{ path: 'name', before: '"one"', after: '"two"' }],
        targetChanges: [{ path: 'name', before: '"one"', after: '"three"' }],
      },
    ])
    await set('staging', { flags: [first] })
    t.equal(await verdictOf('f'), 'kept')
  })

  await t.test('a conflict that was resolved is none any more', async (t) => {
    await set('staging', { flags: [second] })
    await promote(['f'], { resolve: () => 'theirs' })
    await set('prod', { flags: [third] })
    t.equal(await verdictOf('f'), 'kept')
  })

  await t.test('a promotion that was undone does not count, unless that was undone', async (t) => {
    await set('staging', { flags: [first] })
    const before = await promote(['f'], { resolve: () => 'theirs' })
    const undo = (revision: number) =>
      api.documents.undoChange({ namespaceKey: 'prod', revision: String(revision) })
    const undone = (await undo(before)).revision
    t.equal(await verdictOf('f'), 'conflict', 'since the promotion before both have changed it')
    await undo(undone)
    t.equal(await verdictOf('f'), 'equal')
    await set('prod', { flags: [third] })
    t.equal(await verdictOf('f'), 'kept')
  })

  await t.test('it is found in changes of many objects', async (t) => {
    const many = Array.from({ length: 45 }, (_, n) => flag(`many-${n}`, 'one'))
    await set('staging', { flags: many })
    await promote(many.map(({ key }) => key))
    const renamed = many.map((one) => ({ ...one, name: 'two' }))
    await set('staging', { flags: renamed })
    await set('staging', { flags: [{ ...flag('many-44', 'two'), description: 'later' }] })
    await set('prod', { flags: [flag('many-44', 'three')] })
    t.equal(await verdictOf('many-44'), 'conflict')
    t.equal(await verdictOf('many-43'), 'updated')
  })

  await t.test('there is none for a revision that the history does not reach', async (t) => {
    await set('staging', { flags: [flag('g', 'one')] })
    await set('prod', { flags: [flag('g', 'two')] }, { from: 'staging:999999' })
    t.equal(await verdictOf('g'), 'updated')
    await set('prod', { flags: [flag('g', 'three')] }, { from: 'staging-2:1' })
    t.equal(await verdictOf('g'), 'updated', 'nor for another namespace with a similar name')
  })
})

t.test(`${pairs} random pairs: verdicts as by the definition, and undone as it was`, async (t) => {
  const { api, read, set, promote, planFor } = await startPair(t)
  const segments = ['beta', 'eu', 'guests', 'staff'].map((key) =>
    toDocument('segment', { key, name: key }),
  )
  const drawn = sendableFlags(3 * pairs, seed)
  const random = createRandom(seed)
  const versions = Array.from({ length: pairs }, (_, n) => {
    const key = `f-${n}`
    const [type] = [drawn[n]?.type]
    // Versions of one flag have one type.
    return [n, n + pairs, n + 2 * pairs].map((place) => ({ ...drawn[place], key, type }) as Flag)
  })
  const keys = versions.map((_, n) => `f-${n}`)
  const at = (choose: (n: number) => number) =>
    versions.map((all, n) => all[choose(n)]).filter((one) => one !== undefined)
  await set('prod', { segments })
  await set('staging', { segments, flags: at(() => 0) })
  await promote(keys, { withState: true })

  const choices = versions.map(() => [random.below(3), random.below(3)] as const)
  const [inStaging, inProd] = [at((n) => choices[n]?.[0] ?? 0), at((n) => choices[n]?.[1] ?? 0)]
  await set('staging', { flags: inStaging })
  await set('prod', { flags: inProd })

  const { plan } = await planFor(keys)
  const verdicts = new Map(plan.objects.map((one) => [one.key, one.verdict]))
  const expected = choices.map(([source, target]) => {
    if (source === target) return 'equal'
    if (target === 0) return 'updated'
    return source === 0 ? 'kept' : 'conflict'
  })
  t.strictSame(
    keys.map((key) => verdicts.get(key)),
    expected,
  )

  const textsOf = ({ flags, segments }: Content) => [
    ...flags.map((one) => canonicalText('flag', one)),
    ...segments.map((one) => canonicalText('segment', one)),
  ]
  const before = textsOf(await read('prod'))
  const revision = await promote(keys, { withState: true, resolve: () => 'theirs' })
  t.strictNotSame(textsOf(await read('prod')), before)
  await api.documents.undoChange({ namespaceKey: 'prod', revision: String(revision) })
  t.strictSame(textsOf(await read('prod')), before)
})
