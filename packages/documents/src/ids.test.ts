import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { canonicalText } from './canonical.ts'
import { diffDocuments } from './diff.ts'
import { edits } from './edits.test.support.ts'
import { adoptIds } from './ids.ts'
import { readDocument, toDocument } from './reading.ts'
import type { DocumentOf, Kind } from './shapes.ts'
import { documents } from './testing.ts'

const kinds = ['flag', 'segment', 'namespace'] as const

/** With what `idOf` gives in the place of each id. */
function withIds<K extends Kind>(
  kind: K,
  document: DocumentOf[K],
  idOf: (id: string) => string,
): DocumentOf[K] {
  const text = JSON.stringify(document, (name, value) => (name === 'id' ? idOf(value) : value))
  return readDocument(kind, text)
}

const current = toDocument('flag', {
  variants: [{ id: 'v1', key: 'a' }],
  rules: [
    { id: 'r1', segments: ['eu'], distributions: [{ id: 'd1', variant: 'a', rollout: 50 }] },
    { id: 'r2', segments: ['beta'] },
    { id: 'r3', segments: ['beta'], operator: 'AND_SEGMENT_OPERATOR' },
  ],
})

/** What comes: the ids of variants, rules and distributions that it then has. */
const cases: Readonly<Record<string, readonly [document: object, ids: readonly string[]]>> = {
  'variants have those of the same key': [{ variants: [{ key: 'b' }, { key: 'a' }] }, ['', 'v1']],
  'a rule has that of an equal one, wherever it stands': [
    { rules: [{ segments: ['beta'] }, { segments: ['staff'] }] },
    ['r2', 'r1'],
  ],
  'a rule has that of one for the same segments, and so what is in it': [
    { rules: [{ segments: ['eu'], distributions: [{ variant: 'a', rollout: 10 }] }] },
    ['r1', 'd1'],
  ],
  'those that are known stay': [{ rules: [{ id: 'r3' }, { id: 'r1' }] }, ['r3', 'r1']],
  'one that comes twice stays once': [
    { rules: [{ id: 'r2' }, { id: 'r2' }, { id: 'r1' }, { id: 'r3' }, { id: 'x' }] },
    ['r2', '', 'r1', 'r3', ''],
  ],
  'those of another namespace are none': [
    {
      variants: [
        { id: 'w1', key: 'a' },
        { id: 'w2', key: 'c' },
      ],
    },
    ['v1', ''],
  ],
}

t.test('the ids of a document that is to be stored', async (t) => {
  for (const [claim, [document, ids]] of Object.entries(cases)) {
    const { variants, rules } = adoptIds('flag', current, toDocument('flag', document))
    const inRules = rules.flatMap(({ id, distributions }) => [
      id,
      ...distributions.map(({ id }) => id),
    ])
    t.strictSame([...variants.map(({ id }) => id), ...inRules], ids, claim)
  }
})

for (const kind of kinds) {
  const holds = (claim: string, predicate: (one: DocumentOf[typeof kind]) => boolean) =>
    t.test(claim, async (t) => {
      t.doesNotThrow(() => fc.assert(fc.property(documents(kind), predicate)))
    })

  holds(`any ${kind} without its ids gets them back`, (document) => {
    const bare = withIds(kind, document, () => '')
    return isDeepStrictEqual(adoptIds(kind, document, bare), document)
  })

  holds(`any ${kind} with other ids gets its own back`, (document) => {
    const foreign = withIds(kind, document, (id) => `x${id}`)
    return isDeepStrictEqual(adoptIds(kind, document, foreign), document)
  })

  t.test(`applying any ${kind} again changes nothing`, async (t) => {
    const again = fc.property(edits(kind), ([before, document]) => {
      let count = 0
      const store = (current: typeof before) =>
        withIds(kind, adoptIds(kind, current, document), (id) => id || `new-${count++}`)
      const stored = store(before)
      return diffDocuments(kind, stored, store(stored)).length === 0
    })
    t.doesNotThrow(() => fc.assert(again, { numRuns: 500 }))
  })

  t.test(`nothing but ids differs in any ${kind} that took ids`, async (t) => {
    const same = fc.property(edits(kind), ([before, document]) => {
      const adopted = adoptIds(kind, before, document)
      const [one, other] = [adopted, document].map((one) => withIds(kind, one, () => ''))
      return (
        one !== undefined &&
        other !== undefined &&
        canonicalText(kind, one) === canonicalText(kind, other)
      )
    })
    t.doesNotThrow(() => fc.assert(same, { numRuns: 500 }))
  })
}
