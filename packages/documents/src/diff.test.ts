import { isDeepStrictEqual } from 'node:util'
import type { FieldChange, FlagDocument } from '@svc/proto/resource/v1/documents'
import fc from 'fast-check'
import t from 'tap'
import { canonicalText } from './canonical.ts'
import { diffDocuments } from './diff.ts'
import { edits } from './edits.test.support.ts'
import { toDocument } from './reading.ts'
import type { DocumentOf, Kind } from './shapes.ts'

const kinds = ['flag', 'segment', 'namespace'] as const

const rule = (id: string, segment: string, rollout = 50) => ({
  id,
  segments: [segment],
  distributions: [{ id: `${id}-d`, variant: 'a', rollout }],
})

/** The text of a rule without its zero values. */
const text = (rule: object) => JSON.stringify(rule)

const [r1, r2, r3] = [rule('1', 'eu'), rule('2', 'beta'), rule('3', 'staff')]

/** Two flags, and the changes between them: path, before, after. */
const cases: Readonly<
  Record<string, readonly [before: object, after: object, changes: readonly (readonly unknown[])[]]>
> = {
  'is nothing for equal flags': [{ rules: [r1] }, { rules: [r1] }, []],
  'has zero values as they are': [
    { enabled: true, description: 'D' },
    {},
    [
      ['description', '"D"', '""'],
      ['enabled', 'true', 'false'],
    ],
  ],
  'has the number in a rule by its path': [
    { rules: [r1, r2] },
    { rules: [r1, rule('2', 'beta', 33.33)] },
    [['rules[1].distributions[0].rollout', '50', '33.33']],
  ],
  'has one change for a rule that is put before others': [
    { rules: [r1, r2] },
    { rules: [r3, r1, r2] },
    [['rules[0]', undefined, text(r3)]],
  ],
  'has one change for a rule that is gone, at its place of before': [
    { rules: [r1, r2, r3] },
    { rules: [r2, r3] },
    [['rules[0]', text(r1), undefined]],
  ],
  'has one change for a rule that moved': [
    { rules: [r1, r2, r3] },
    { rules: [r3, r1, r2] },
    [['rules[0].position', '2', '0']],
  ],
  'has the change in a rule that moved at its new place': [
    { rules: [r1, r2, r3] },
    { rules: [r2, r3, rule('1', 'eu', 10)] },
    [
      ['rules[2].position', '0', '2'],
      ['rules[2].distributions[0].rollout', '50', '10'],
    ],
  ],
  'has two changes where another rule took the place of one': [
    { rules: [r1] },
    { rules: [r2] },
    [
      ['rules[0]', text(r1), undefined],
      ['rules[0]', undefined, text(r2)],
    ],
  ],
  'finds equal rules by what is in them when their ids differ': [
    { rules: [{ id: '1', segments: ['eu'] }] },
    { rules: [{ id: '9', segments: ['eu'] }] },
    [['rules[0].id', '"1"', '"9"']],
  ],
  'finds rules without ids by their segments': [
    { rules: [{ segments: ['eu'] }, { segments: ['beta'], distributions: [{ variant: 'a' }] }] },
    { rules: [{ segments: ['beta'] }] },
    [
      ['rules[0]', '{"segments":["eu"]}', undefined],
      ['rules[0].distributions[0]', '{"variant":"a"}', undefined],
    ],
  ],
  'has lists of segments as one value': [
    { rules: [r1] },
    { rules: [{ ...r1, segments: ['eu', 'beta'], operator: 'AND_SEGMENT_OPERATOR' }] },
    [
      ['rules[0].segments', '["eu"]', '["eu","beta"]'],
      ['rules[0].operator', '"OR_SEGMENT_OPERATOR"', '"AND_SEGMENT_OPERATOR"'],
    ],
  ],
  'has what a rollout serves on both sides when it becomes the other': [
    { rollouts: [{ id: '1', threshold: { percentage: 5 } }] },
    { rollouts: [{ id: '1', segment: { segments: ['eu'] } }] },
    [
      ['rollouts[0].segment', undefined, '{"segments":["eu"]}'],
      ['rollouts[0].threshold', '{"percentage":5}', undefined],
    ],
  ],
  'never makes a variant of another key of one, even without ids': [
    { variants: [{ id: '1', key: 'a' }] },
    { variants: [{ key: 'b' }] },
    [
      ['variants[0]', '{"id":"1","key":"a"}', undefined],
      ['variants[0]', undefined, '{"key":"b"}'],
    ],
  ],
  'goes into metadata by member, and has its lists as one value': [
    { metadata: { owner: 'a', tags: [1], 'any name': 0, deep: { x: null, y: 1 } } },
    { metadata: { owner: 'b', tags: [1, 2], deep: { x: 1, y: 1 }, more: false } },
    [
      ['metadata.owner', '"a"', '"b"'],
      ['metadata.tags', '[1]', '[1,2]'],
      ['metadata["any name"]', '0', undefined],
      ['metadata.deep.x', 'null', '1'],
      ['metadata.more', undefined, 'false'],
    ],
  ],
  'has metadata as a whole when there was none': [
    {},
    { metadata: { owner: 'a' } },
    [['metadata', undefined, '{"owner":"a"}']],
  ],
  'has metadata of which the order changed': [
    { metadata: { a: 1, b: { c: 1, d: 2 } } },
    { metadata: { a: 1, b: { d: 2, c: 1 } } },
    [['metadata.b', '{"c":1,"d":2}', '{"d":2,"c":1}']],
  ],
}

t.test('the difference of two flags', async (t) => {
  for (const [claim, [before, after, changes]] of Object.entries(cases)) {
    const found = diffDocuments('flag', toDocument('flag', before), toDocument('flag', after))
    t.strictSame(
      found.map(({ path, before, after }) => [path, before, after]),
      changes,
      claim,
    )
  }
})

t.test('a new document is what is not zero in it, and one that is gone, too', async (t) => {
  const flag = toDocument('flag', { key: 'k', variants: [{ key: 'a' }], rules: [{}] })
  const changes: [string, string][] = [
    ['key', '"k"'],
    ['variants[0]', '{"key":"a"}'],
    ['rules[0]', '{}'],
  ]
  t.strictSame(
    diffDocuments('flag', undefined, flag),
    changes.map(([path, after]) => ({ path, before: undefined, after })),
  )
  t.strictSame(
    diffDocuments('flag', flag, undefined),
    changes.map(([path, before]) => ({ path, before, after: undefined })),
  )
})

t.test('shares that are the same 32-bit float do not differ', async (t) => {
  const share = (rollout: number): FlagDocument => ({
    ...toDocument('flag', {}),
    rules: [
      {
        ...toDocument('flag', { rules: [r1] }).rules[0],
        distributions: [{ id: '', variant: 'a', rollout }],
      },
    ] as FlagDocument['rules'],
  })
  t.strictSame(diffDocuments('flag', share(33.33), share(Math.fround(33.33))), [])
})

for (const kind of kinds) {
  t.test(
    `the difference of any two of kind ${kind} is empty when their texts are equal`,
    async (t) => {
      const holds = fc.property(edits(kind), ([before, after]) => {
        const isSame = canonicalText(kind, before) === canonicalText(kind, after)
        return isSame === (diffDocuments(kind, before, after).length === 0)
      })
      t.doesNotThrow(() => fc.assert(holds, { numRuns: 500 }))
    },
  )

  t.test(`a change of any two of kind ${kind} has two sides that differ`, async (t) => {
    const holds = fc.property(edits(kind), ([before, after]) =>
      diffDocuments(kind, before, after).every((change) => change.before !== change.after),
    )
    t.doesNotThrow(() => fc.assert(holds, { numRuns: 500 }))
  })

  t.test(`the difference of any two of kind ${kind} makes one of the other`, async (t) => {
    const holds = fc.property(edits(kind), ([before, after]) =>
      isDeepStrictEqual(follow(kind, before, diffDocuments(kind, before, after)), after),
    )
    t.doesNotThrow(() => fc.assert(holds, { numRuns: 500 }))
  })
}

type Step = FieldChange & { readonly rest: readonly (string | number)[] }

/** What the changes make of a document. */
function follow<K extends Kind>(kind: K, before: DocumentOf[K], changes: readonly FieldChange[]) {
  const steps = changes.map((change) => ({ ...change, rest: parsePath(change.path) }))
  return toDocument(kind, followSteps(before, steps))
}

function parsePath(path: string): (string | number)[] {
  const parts = path.matchAll(/\[(\d+|"(?:[^"\\]|\\.)*")\]|([^.[]+)/g)
  return [...parts].map(([, inBrackets, name]) => name ?? JSON.parse(inBrackets ?? ''))
}

function followSteps(value: unknown, steps: readonly Step[]): unknown {
  const whole = steps.find(({ rest }) => rest.length === 0)
  if (whole !== undefined) return whole.after === undefined ? undefined : JSON.parse(whole.after)
  const inner = Map.groupBy(
    steps.map((step) => ({ ...step, name: step.rest[0] ?? '', rest: step.rest.slice(1) })),
    ({ name }) => name,
  )
  if (Array.isArray(value)) return followList(value, inner)
  const result: Record<string, unknown> = Object.fromEntries(Object.entries(value ?? {}))
  for (const [name, steps] of inner) {
    const member = followSteps(result[name], steps)
    if (member === undefined) delete result[name]
    else result[name] = member
  }
  return result
}

function followList(
  list: readonly unknown[],
  inner: ReadonlyMap<string | number, readonly Step[]>,
) {
  const isAt = ({ rest }: Step) => rest.length === 0
  const isMove = ({ rest }: Step) => rest.length === 1 && rest[0] === 'position'
  const steps = [...inner]
  const gone = steps.flatMap(([index, steps]) =>
    steps.some((step) => isAt(step) && step.after === undefined) ? [index] : [],
  )
  const added = new Map(
    steps.flatMap(([index, steps]) =>
      steps.filter((step) => isAt(step) && step.after !== undefined).map((step) => [index, step]),
    ),
  )
  const moved = new Map(
    steps.flatMap(([index, steps]) =>
      steps.filter(isMove).map(({ before }) => [index, Number(before)] as const),
    ),
  )
  const origins = new Set(moved.values())
  const stay = list.filter((_, index) => !gone.includes(index) && !origins.has(index))
  const result: unknown[] = []
  for (let index = 0; stay.length > 0 || added.has(index) || moved.has(index); index++) {
    const step = added.get(index)
    const from = moved.get(index)
    const was = from === undefined ? undefined : list[from]
    const element = step === undefined ? (was ?? stay.shift()) : JSON.parse(String(step.after))
    const changes = inner.get(index)?.filter((step) => !isAt(step) && !isMove(step)) ?? []
    result.push(followSteps(element, changes))
  }
  return result
}
