import { deepStrictEqual } from 'node:assert'
import { FlagDocument, NamespaceSettings, SegmentDocument } from '@svc/proto/resource/v1/documents'
import fc from 'fast-check'
import t from 'tap'
import { canonicalText } from './canonical.ts'
import { readDocument, toDocument } from './reading.ts'
import { documents, randomDocuments } from './testing.ts'

const kinds = ['flag', 'segment', 'namespace'] as const

/** What is written of a flag, and the text of it. */
const flagTexts: Readonly<Record<string, readonly [given: object, text: string]>> = {
  'is empty for zero values': [
    { key: '', enabled: false, variants: [], metadata: {}, type: 'VARIANT_FLAG_TYPE' },
    '{}',
  ],
  'has members in the order of the proto': [
    { enabled: true, name: 'N', type: 'BOOLEAN_FLAG_TYPE', key: 'k' },
    '{"key":"k","type":"BOOLEAN_FLAG_TYPE","name":"N","enabled":true}',
  ],
  'has metadata as it was sent, zero values included': [
    { key: 'k', metadata: { b: 0, a: [null, { z: '', y: false }] } },
    '{"key":"k","metadata":{"b":0,"a":[null,{"z":"","y":false}]}}',
  ],
  'has the shortest decimals': [
    { rules: [{ distributions: [{ rollout: Math.fround(33.33) }, { rollout: 1 / 3 }] }] },
    '{"rules":[{"distributions":[{"rollout":33.33},{"rollout":0.33333334}]}]}',
  ],
  'has no number that is zero as a 32-bit float': [
    { rules: [{ distributions: [{ rollout: 1e-60 }, { rollout: -0 }] }] },
    '{"rules":[{"distributions":[{},{}]}]}',
  ],
  'says which of two a rollout has when that has zero values only': [
    { rollouts: [{ threshold: {} }, { segment: { segments: ['eu'] } }] },
    '{"rollouts":[{"threshold":{}},{"segment":{"segments":["eu"]}}]}',
  ],
}

t.test('the text of a flag', async (t) => {
  for (const [claim, [given, text]] of Object.entries(flagTexts)) {
    t.equal(canonicalText('flag', toDocument('flag', given)), text, claim)
  }
})

t.test('the text of a segment and of settings', async (t) => {
  const constraints = [
    { operator: 'eq', type: 'STRING_COMPARISON_TYPE', property: 'p', value: 'v' },
  ]
  const segment = toDocument('segment', { constraints, matchType: 'ANY_MATCH_TYPE', key: 's' })
  t.equal(
    canonicalText('segment', segment),
    '{"key":"s","matchType":"ANY_MATCH_TYPE","constraints":' +
      '[{"type":"STRING_COMPARISON_TYPE","property":"p","operator":"eq","value":"v"}]}',
  )
  const settings = toDocument('namespace', { confirm: true, color: 'blue', name: 'Shop' })
  t.equal(canonicalText('namespace', settings), '{"name":"Shop","color":"blue","confirm":true}')
})

for (const kind of kinds) {
  t.test(`the text of any ${kind} gives the document back, and the same text`, async (t) => {
    const same = fc.property(documents(kind), (document) => {
      const text = canonicalText(kind, document)
      const again = readDocument(kind, text)
      // The runner's comparison takes an own member `constructor` for a class.
      deepStrictEqual(again, document)
      t.equal(canonicalText(kind, again), text)
    })
    t.doesNotThrow(() => fc.assert(same))
  })

  t.test(`the text of any ${kind} does not depend on the order of its members`, async (t) => {
    const same = fc.property(documents(kind), (document) => {
      const reversed = Object.fromEntries(Object.entries(document).reverse())
      t.equal(canonicalText(kind, toDocument(kind, reversed)), canonicalText(kind, document))
    })
    t.doesNotThrow(() => fc.assert(same))
  })
}

t.test('a document has the same text after it went through gRPC', async (t) => {
  const codecs = { flag: FlagDocument, segment: SegmentDocument, namespace: NamespaceSettings }
  for (const kind of kinds) {
    const codec = codecs[kind] as typeof FlagDocument
    for (const document of randomDocuments(kind, { count: 100, seed: 1 })) {
      const sent = codec.decode(codec.encode(document as FlagDocument).finish())
      t.equal(canonicalText(kind, sent), canonicalText(kind, document))
    }
  }
})

t.test('random documents are the same for the same seed', async (t) => {
  const texts = (seed: number) =>
    randomDocuments('flag', { count: 10, seed }).map((flag) => canonicalText('flag', flag))
  t.strictSame(texts(7), texts(7))
  t.notSame(texts(7), texts(8))
})
