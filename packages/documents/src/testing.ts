import fc from 'fast-check'
import { elementsOf } from './canonical.ts'
import { toDocument } from './reading.ts'
import { type DocumentOf, type Kind, type Shape, shapeOf } from './shapes.ts'

/** Keys of the segments that random flags refer to, unless they are given others. */
export const segmentKeys: readonly string[] = ['beta', 'eu', 'guests', 'staff']

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
const key = fc.stringMatching(/^[-_,A-Za-z0-9]{1,12}$/)

/** Whole, with two decimals, or any 32-bit float. */
const percentage = fc.oneof(
  fc.integer({ min: 0, max: 100 }),
  fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100),
  fc.float({ min: 0, max: 100, noNaN: true }),
)

/** As the database gives it: without `-0`, and without the name that gRPC does not bring over. */
const metadata = fc
  .dictionary(
    name.filter((name) => name !== '__proto__'),
    fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }),
    { maxKeys: 3, noNullPrototype: true },
  )
  .map((value): unknown => JSON.parse(JSON.stringify(value)))

const variant = fc.record({
  key: name,
  name: text,
  description: text,
  attachment: fc.oneof(
    fc.constant(''),
    fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }).map((value) => JSON.stringify(value)),
  ),
})

const variants = fc
  .tuple(
    fc.uniqueArray(variant, { maxLength: 4, selector: ({ key }) => key }),
    fc.integer({ min: -1, max: 3 }),
  )
  .map(([variants, preset]) =>
    variants.map((variant, place) => ({ ...variant, default: place === preset })),
  )

/** A single segment is combined with nothing, and so stored with one of the operators. */
function segmentsOf(keys: readonly string[]) {
  const operator = fc.constantFrom('OR_SEGMENT_OPERATOR', 'AND_SEGMENT_OPERATOR')
  return fc
    .record({ segments: fc.subarray([...keys], { minLength: 1 }), operator })
    .map(({ segments, operator }) => ({
      segments,
      operator: segments.length === 1 ? 'OR_SEGMENT_OPERATOR' : operator,
    }))
}

function rulesOf(variantKeys: readonly string[], segments: ReturnType<typeof segmentsOf>) {
  const distributions = fc
    .shuffledSubarray([...variantKeys])
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((variant) =>
          fc.record({ variant: fc.constant(variant), rollout: percentage }),
        ),
      ),
    )
  return fc.array(
    fc
      .tuple(segments, distributions)
      .map(([segments, distributions]) => ({ ...segments, distributions })),
    { maxLength: 4 },
  )
}

function rolloutsOf(segments: ReturnType<typeof segmentsOf>) {
  const value = fc.boolean()
  const served = fc.oneof(
    fc.record({ percentage, value }).map((threshold) => ({ threshold })),
    fc.tuple(segments, value).map(([segments, value]) => ({ segment: { ...segments, value } })),
  )
  return fc.array(
    fc.tuple(text, served).map(([description, served]) => ({ description, ...served })),
    { maxLength: 4 },
  )
}

function flags(keys: readonly string[]) {
  const segments = segmentsOf(keys)
  return variants.chain((variants) =>
    fc.record({
      key,
      type: fc.constantFrom('VARIANT_FLAG_TYPE', 'BOOLEAN_FLAG_TYPE'),
      name,
      description: text,
      enabled: fc.boolean(),
      metadata,
      variants: fc.constant(variants),
      rules: rulesOf(
        variants.map(({ key }) => key),
        segments,
      ),
      rollouts: rolloutsOf(segments),
    }),
  )
}

/** In the form in which they are stored. */
const comparison = fc.oneof(
  fc.record({
    type: fc.constant('STRING_COMPARISON_TYPE'),
    operator: fc.constantFrom('eq', 'neq', 'contains', 'prefix', 'suffix'),
    value: name,
  }),
  fc.record({
    type: fc.constant('STRING_COMPARISON_TYPE'),
    operator: fc.constantFrom('isoneof', 'isnotoneof'),
    value: fc.array(text, { maxLength: 3 }).map((texts) => JSON.stringify(texts)),
  }),
  fc.record({
    type: fc.constant('NUMBER_COMPARISON_TYPE'),
    operator: fc.constantFrom('eq', 'lt', 'gte'),
    value: fc.integer().map(String),
  }),
  fc.record({
    type: fc.constant('BOOLEAN_COMPARISON_TYPE'),
    operator: fc.constantFrom('true', 'false', 'present'),
    value: fc.constant(''),
  }),
  fc.record({
    type: fc.constant('DATETIME_COMPARISON_TYPE'),
    operator: fc.constantFrom('lte', 'gt'),
    value: fc.constantFrom('2030-01-31', '2030-01-31T12:00:00Z'),
  }),
)

const constraint = fc
  .tuple(fc.record({ property: name, description: text }), comparison)
  .map(([rest, comparison]) => ({ ...rest, ...comparison }))

const segments = fc.record({
  key,
  name,
  description: text,
  matchType: fc.constantFrom('ALL_MATCH_TYPE', 'ANY_MATCH_TYPE'),
  constraints: fc.array(constraint, { maxLength: 4 }),
})

const namespaces = fc.record({
  name,
  description: text,
  color: fc.constantFrom('', 'blue', 'red'),
  confirm: fc.boolean(),
})

/**
 * Documents as the service has stored them: all that is in them has an id, and each text is in the one
 * form that it is kept in.
 *
 * @param keys of the segments that flags refer to
 */
export function documents<K extends Kind>(
  kind: K,
  keys: readonly string[] = segmentKeys,
): fc.Arbitrary<DocumentOf[K]> {
  const json: Readonly<Record<Kind, fc.Arbitrary<object>>> = {
    flag: flags(keys),
    segment: segments,
    namespace: namespaces,
  }
  return fc
    .tuple(json[kind], fc.nat(2 ** 31 - 1))
    .map(([value, seed]) => toDocument(kind, withIds(shapeOf[kind], value, seed)))
}

/** With a UUID for each element of a list, no two the same, in the order of the document. */
function withIds(shape: Shape, value: object, seed: number, ids = { count: 0 }): object {
  const result: Record<string, unknown> = { ...value }
  if ('id' in shape.members) result.id = uuid(seed, ids.count++)
  for (const [name, member] of shape.entries) {
    if (member.type !== 'list') continue
    result[name] = elementsOf(Reflect.get(value, name)).map((element) =>
      withIds(member.shape, element, seed, ids),
    )
  }
  return result
}

function uuid(seed: number, count: number): string {
  const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0')
  return `${hex(seed, 8)}-0000-4000-8000-${hex(count, 12)}`
}

/** Documents of {@link documents}, the same for the same seed; keys may come twice. */
export function randomDocuments<K extends Kind>(
  kind: K,
  { count, seed }: { readonly count: number; readonly seed: number },
): DocumentOf[K][] {
  return fc.sample(documents(kind), { numRuns: count, seed })
}
