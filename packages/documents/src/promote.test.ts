import fc from 'fast-check'
import t from 'tap'
import { canonicalText } from './canonical.ts'
import { dropIds } from './ids.ts'
import {
  type Content,
  type PromoteRequest,
  planPromotion,
  promotedContent,
  segmentKeysOf,
} from './promote.ts'
import { toDocument } from './reading.ts'
import type { DocumentOf } from './shapes.ts'
import { documents } from './testing.ts'

function flag(key: string, more: object = {}): DocumentOf['flag'] {
  return toDocument('flag', { key, name: key, type: 'BOOLEAN_FLAG_TYPE', ...more })
}

function segment(key: string, more: object = {}): DocumentOf['segment'] {
  return toDocument('segment', { key, name: key, ...more })
}

function content(...all: readonly (DocumentOf['flag'] | DocumentOf['segment'])[]): Content {
  return {
    flags: all.filter((one) => 'rollouts' in one),
    segments: all.filter((one) => 'constraints' in one),
  }
}

/** A flag with a rollout for segments. */
const served = (key: string, ...segments: readonly string[]) =>
  flag(key, { rollouts: [{ segment: { segments, value: true } }] })

function plan(request: Partial<PromoteRequest> & Pick<PromoteRequest, 'source'>) {
  const flagKeys = request.source.flags.map(({ key }) => key)
  return planPromotion({ target: content(), flagKeys, ...request })
}

function verdictsOf(planned: ReturnType<typeof planPromotion>) {
  return Object.fromEntries(
    planned.objects.map(({ kind, key, verdict }) => [`${kind} ${key}`, verdict]),
  )
}

t.test(
  'without a common ancestor the document of the source is taken wherever they differ',
  async (t) => {
    const source = content(
      flag('same'),
      flag('new', { name: 'New' }),
      flag('other', { name: 'Other' }),
    )
    const target = content(flag('same'), flag('other'), flag('foreign'))
    const planned = plan({ source, target })
    t.strictSame(verdictsOf(planned), {
      'flag same': 'equal',
      'flag new': 'created',
      'flag other': 'updated',
    })
    t.match(planned.objects[2], {
      changes: [{ path: 'name', before: '"other"', after: '"Other"' }],
      sourceChanges: [],
      targetChanges: [],
    })
    t.match(promotedContent(planned), {
      flags: [
        { key: 'new', name: 'New' },
        { key: 'other', name: 'Other' },
      ],
      segments: [],
    })
  },
)

t.test('with a common ancestor, what only the target has changed stays', async (t) => {
  const [old, here, there] = [flag('f'), flag('f', { name: 'Here' }), flag('f', { name: 'There' })]
  const base = content(old)
  const verdictOf = (source: DocumentOf['flag'], target: DocumentOf['flag']) =>
    plan({ source: content(source), target: content(target), base }).objects[0]?.verdict
  t.equal(verdictOf(old, old), 'equal')
  t.equal(verdictOf(here, old), 'updated')
  t.equal(verdictOf(old, there), 'kept')
  t.equal(verdictOf(here, here), 'equal', 'both changed it to the same')
  t.equal(verdictOf(here, there), 'conflict')
})

t.test(
  'a conflict has the changes of both sides, and is written only when it is resolved',
  async (t) => {
    const request = {
      source: content(flag('f', { name: 'Source', description: 'new' })),
      target: content(flag('f', { name: 'Target' })),
      base: content(flag('f')),
    }
    const conflict = plan(request)
    t.match(conflict.objects, [
      {
        verdict: 'conflict',
        sourceChanges: [
          { path: 'name', before: '"f"', after: '"Source"' },
          { path: 'description', before: '""', after: '"new"' },
        ],
        targetChanges: [{ path: 'name', before: '"f"', after: '"Target"' }],
        changes: [
          { path: 'name', before: '"Target"', after: '"Source"' },
          { path: 'description', before: '""', after: '"new"' },
        ],
      },
    ])
    t.strictSame(promotedContent(conflict), content())
    const ours = plan({ ...request, resolve: () => 'ours' })
    t.match(ours.objects, [{ verdict: 'kept', changes: [], document: { name: 'Target' } }])
    t.strictSame(promotedContent(ours), content())
    const theirs = plan({ ...request, resolve: (_, key) => (key === 'f' ? 'theirs' : undefined) })
    t.match(promotedContent(theirs).flags, [{ name: 'Source', description: 'new' }])
  },
)

t.test('the state of a flag belongs to its namespace', async (t) => {
  const on = { enabled: true }
  const source = content(flag('new', on), flag('off', on), flag('named', { ...on, name: 'Named' }))
  const target = content(flag('off'), flag('named'))
  const planned = plan({ source, target })
  t.strictSame(
    planned.objects.map(({ verdict, document }) => [
      verdict,
      'enabled' in document && document.enabled,
    ]),
    [
      ['created', false],
      ['equal', false],
      ['updated', false],
    ],
  )

  const withState = plan({ source, target, withState: true })
  t.strictSame(verdictsOf(withState), {
    'flag new': 'created',
    'flag off': 'updated',
    'flag named': 'updated',
  })
  t.match(withState.objects[1]?.changes, [{ path: 'enabled', before: 'false', after: 'true' }])

  // A promotion before it left the state alone: that is no change of the target.
  const base = content(flag('off', on))
  t.equal(plan({ source, target, base, withState: true }).objects[1]?.verdict, 'updated')
  const kept = plan({
    source: content(flag('off', on)),
    target: content(flag('off', { name: 'Renamed' })),
    base,
    withState: true,
  })
  t.match(
    promotedContent(kept).flags,
    [{ name: 'Renamed', enabled: true }],
    'what the target has changed stays all the same',
  )
})

t.test('segments come along with the flags that need them', async (t) => {
  const source = content(
    served('a', 'eu', 'staff'),
    flag('b', { rules: [{ segments: ['staff'] }] }),
    segment('eu', { name: 'EU' }),
    segment('staff'),
    segment('unrelated'),
  )
  const target = content(segment('eu'), served('other', 'eu'), served('a', 'eu'))
  const all = plan({ source, target })
  t.strictSame(verdictsOf(all), {
    'segment eu': 'updated',
    'segment staff': 'created',
    'flag a': 'updated',
    'flag b': 'created',
  })
  t.match(all.objects[0], { neededBy: ['a'], alsoUsedBy: ['other'] })
  t.match(all.objects[1], { neededBy: ['a', 'b'], alsoUsedBy: [] })
  t.strictSame(all.missingSegmentKeys, [])

  const missing = plan({ source, target, withSegments: 'missing' })
  t.strictSame(Object.keys(verdictsOf(missing)), ['segment staff', 'flag a', 'flag b'])
  const none = plan({ source, target, withSegments: 'none' })
  t.strictSame(Object.keys(verdictsOf(none)), ['flag a', 'flag b'])
  t.strictSame(none.missingSegmentKeys, ['staff'])
  const chosen = plan({ source, target, withSegments: 'none', flagKeys: [], segmentKeys: ['eu'] })
  t.strictSame(verdictsOf(chosen), { 'segment eu': 'updated' })
  t.match(chosen.objects, [{ neededBy: [], alsoUsedBy: ['other', 'a'] }])
})

t.test('ids do not matter, and are not carried across', async (t) => {
  const withIds = (prefix: string) =>
    flag('f', {
      variants: [{ id: `${prefix}-v`, key: 'blue' }],
      rules: [
        {
          id: `${prefix}-r`,
          segments: ['eu'],
          distributions: [{ id: `${prefix}-d`, variant: 'blue', rollout: 50 }],
        },
      ],
    })
  const eu = segment('eu')
  const source = content(withIds('source'), eu)
  t.equal(plan({ source, target: content(withIds('target'), eu) }).objects[1]?.verdict, 'equal')
  const promoted = promotedContent(plan({ source, target: content(flag('g')) }))
  t.notMatch(JSON.stringify(promoted), /source-/)
})

t.test('a key that the source does not have is an error', async (t) => {
  t.throws(() => plan({ source: content(), flagKeys: ['nope'] }), {
    message: 'the source has no flag "nope"',
  })
  t.throws(() => plan({ source: content(), segmentKeys: ['nope'] }), {
    message: 'the source has no segment "nope"',
  })
})

/** Few values of each member, so that sides are often equal. */
const small = fc
  .tuple(fc.constantFrom('one', 'two', 'three'), fc.boolean())
  .map(([name, enabled]) => flag('f', { name, enabled }))

t.test('the verdicts are those of the definition', async () => {
  const side = fc.option(
    fc.oneof(
      small,
      documents('flag').map((one) => ({ ...one, key: 'f' })),
    ),
  )
  fc.assert(
    fc.property(small, side, side, fc.boolean(), (source, target, base, withState) => {
      const planned = plan({
        source: content(source),
        target: target ? content(target) : content(),
        ...(base && { base: content(base) }),
        withState,
        withSegments: 'none',
      })
      const [object] = planned.objects
      const restOf = (one: DocumentOf['flag'] | null) =>
        one && canonicalText('flag', dropIds('flag', { ...one, enabled: false }))
      const [s, a, b] = [source, target, base].map((one) => restOf(one ?? null))
      const compared =
        s === a ? 'equal' : base === null || b === a ? 'updated' : b === s ? 'kept' : 'conflict'
      const expected = target === null ? 'created' : compared
      const movesState = withState && target !== null && target.enabled !== source.enabled
      const stays = expected === 'equal' || expected === 'kept'
      return object?.verdict === (stays && movesState ? 'updated' : expected)
    }),
    { numRuns: 1000 },
  )
})

t.test('applying a plan leaves nothing to promote', async () => {
  fc.assert(
    fc.property(documents('flag'), documents('flag'), fc.boolean(), (one, other, withState) => {
      const source = content(one)
      const target = content({ ...other, key: one.key })
      const { flags } = promotedContent(plan({ source, target, withState, withSegments: 'none' }))
      const after = flags.length > 0 ? content(...flags) : target
      const again = plan({ source, target: after, withState, withSegments: 'none' })
      return again.objects[0]?.verdict === 'equal'
    }),
  )
})

t.test('a flag names each of its segments once', async (t) => {
  const both = flag('f', {
    rules: [{ segments: ['a', 'b'] }, { segments: ['b'] }],
    rollouts: [{ segment: { segments: ['c', 'a'] } }, { threshold: { percentage: 5 } }],
  })
  t.strictSame(segmentKeysOf(both), ['a', 'b', 'c'])
})
