import type {
  ConstraintDocument,
  FlagDocument,
  RolloutDocument,
  RuleDocument,
  SegmentDocument,
  VariantDocument,
} from '@svc/client/api'
import fc from 'fast-check'

/** Documents for tests. */

export function booleanFlag(more: Partial<FlagDocument> = {}): FlagDocument {
  return {
    key: 'checkout',
    type: 'BOOLEAN_FLAG_TYPE',
    name: 'Checkout',
    description: '',
    enabled: false,
    variants: [],
    rules: [],
    rollouts: [],
    ...more,
  }
}

export function variantFlag(more: Partial<FlagDocument> = {}): FlagDocument {
  return booleanFlag({
    type: 'VARIANT_FLAG_TYPE',
    enabled: true,
    variants: [variant('blue', true), variant('green')],
    ...more,
  })
}

export function segmentOf(more: Partial<SegmentDocument> = {}): SegmentDocument {
  return {
    key: 'beta',
    name: 'Beta',
    description: '',
    matchType: 'ALL_MATCH_TYPE',
    constraints: [],
    ...more,
  }
}

export function threshold(percentage: number, value = true, id = ''): RolloutDocument {
  return { id, description: '', threshold: { percentage, value } }
}

export function segmentRollout(
  segments: readonly string[],
  value = true,
  id = '',
  operator: 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR' = 'OR_SEGMENT_OPERATOR',
): RolloutDocument {
  return { id, description: '', segment: { segments, operator, value } }
}

export function variant(key: string, isDefault = false): VariantDocument {
  return { id: `id-${key}`, key, name: '', description: '', attachment: '', default: isDefault }
}

export function rule(
  id: string,
  segments: readonly string[],
  shares: Readonly<Record<string, number>>,
): RuleDocument {
  return {
    id,
    segments,
    operator: 'OR_SEGMENT_OPERATOR',
    distributions: Object.entries(shares).map(([variant, rollout]) => ({
      id: `${id}-${variant}`,
      variant,
      rollout,
    })),
  }
}

export function constraint(id: string, property: string, value: string): ConstraintDocument {
  return { id, type: 'STRING_COMPARISON_TYPE', property, operator: 'eq', value, description: '' }
}

const anySegments = fc.uniqueArray(fc.constantFrom('a', 'b', 'all'), { minLength: 1, maxLength: 2 })
const anyOperator = fc.constantFrom('OR_SEGMENT_OPERATOR' as const, 'AND_SEGMENT_OPERATOR' as const)
const anyPercentage = fc.integer({ min: 0, max: 20 }).map((step) => step * 5)

const anyRollout: fc.Arbitrary<RolloutDocument> = fc.oneof(
  fc
    .record({ percentage: anyPercentage, value: fc.boolean() })
    .map(({ percentage, value }) => threshold(percentage, value)),
  fc
    .record({ segments: anySegments, value: fc.boolean(), operator: anyOperator })
    .map(({ segments, value, operator }) => segmentRollout(segments, value, '', operator)),
)

export const anyBooleanFlag: fc.Arbitrary<FlagDocument> = fc
  .record({
    name: fc.constantFrom('One', 'Two'),
    enabled: fc.boolean(),
    rollouts: fc.array(anyRollout, { maxLength: 4 }),
  })
  .map((more) => booleanFlag(more))

/** An edit of a flag: what is done, and two numbers that say where and with what. */
export type Edit = readonly [what: string, where: number, value: number]

export const startFlag: FlagDocument = variantFlag({
  metadata: { owner: 'mara' },
  variants: [variant('blue', true), variant('green'), variant('red')],
  rules: [
    rule('r1', ['beta'], { blue: 50, green: 50 }),
    rule('r2', ['staff'], { green: 100 }),
    rule('r3', ['old'], { red: 30, blue: 70 }),
  ],
  // A flag has either; what merges them does not ask which.
  rollouts: [segmentRollout(['beta'], true, 'o1'), threshold(25, true, 'o2')],
})

export const anyEdits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.tuple(
    fc.constantFrom(
      ...[
        'name',
        'enabled',
        'owner',
        'default',
        'who',
        'split',
        'addRule',
        'removeRule',
        'moveRule',
      ],
      ...['addVariant', 'removeVariant', 'describe', 'percentage', 'addRollout', 'moveRollout'],
      ...['removeRollout', 'turn'],
    ),
    fc.nat(9),
    fc.nat(4),
  ),
  { maxLength: 6 },
)

/** @param id what new elements have one by; nothing in a draft */
export function editFlag(flag: FlagDocument, edits: readonly Edit[], id = ''): FlagDocument {
  return edits.reduce((now, edit, count) => editOnce(now, edit, id && `${id}${count}`), flag)
}

function editOnce(flag: FlagDocument, [what, where, value]: Edit, id: string): FlagDocument {
  const { variants, rules, rollouts } = flag
  const [variantAt, ruleAt, rolloutAt] = [variants, rules, rollouts].map(
    (list) => where % Math.max(list.length, 1),
  ) as [number, number, number]
  const keys = variants.map(({ key }) => key)
  const key = keys[value % Math.max(keys.length, 1)] ?? ''
  const setRule = (more: (one: RuleDocument) => Partial<RuleDocument>) => ({
    ...flag,
    rules: rules.map((one, place) => (place === ruleAt ? { ...one, ...more(one) } : one)),
  })
  switch (what) {
    case 'name':
      return { ...flag, name: `Name ${value}` }
    case 'enabled':
      return { ...flag, enabled: value % 2 === 0 }
    case 'owner':
      return { ...flag, metadata: { [value % 2 === 0 ? 'owner' : 'ticket']: where } }
    case 'default':
      return { ...flag, variants: variants.map((one) => ({ ...one, default: one.key === key })) }
    case 'describe':
      return {
        ...flag,
        variants: variants.map((one, place) =>
          place === variantAt ? { ...one, description: `About ${value}` } : one,
        ),
      }
    case 'who':
      return setRule(() => ({ segments: [`s${value}`] }))
    case 'split':
      if (keys.length === 0) return flag
      return setRule(({ id }) => ({
        distributions: rule(id, [], { [key]: 10 * value }).distributions,
      }))
    case 'addRule':
      return {
        ...flag,
        rules: rules.toSpliced(where, 0, {
          ...rule(id, [`n${value}`], keys.length > 0 ? { [key]: 80 } : {}),
          id,
        }),
      }
    case 'removeRule':
      return { ...flag, rules: rules.toSpliced(ruleAt, 1) }
    case 'moveRule':
      return {
        ...flag,
        rules: rules.toSpliced(ruleAt, 1).toSpliced(value, 0, ...rules.slice(ruleAt, ruleAt + 1)),
      }
    case 'addVariant':
      return keys.includes(`new${value}`)
        ? flag
        : {
            ...flag,
            variants: [...variants, { ...variant(`new${value}`), id, description: `${where}` }],
          }
    case 'removeVariant':
      return {
        ...flag,
        variants: variants.toSpliced(variantAt, 1),
        rules: rules.map((one) => ({
          ...one,
          distributions: one.distributions.filter((part) => part.variant !== keys[variantAt]),
        })),
      }
    case 'percentage':
      return {
        ...flag,
        rollouts: rollouts.map((one, place) =>
          place === rolloutAt ? threshold(value * 20, true, one.id) : one,
        ),
      }
    case 'turn':
      return {
        ...flag,
        rollouts: rollouts.map((one, place) =>
          place === rolloutAt && one.segment
            ? { ...one, segment: { ...one.segment, value: value > 2 } }
            : one,
        ),
      }
    case 'addRollout':
      return { ...flag, rollouts: rollouts.toSpliced(where, 0, threshold(value, true, id)) }
    case 'moveRollout':
      return {
        ...flag,
        rollouts: rollouts
          .toSpliced(rolloutAt, 1)
          .toSpliced(value, 0, ...rollouts.slice(rolloutAt, rolloutAt + 1)),
      }
    case 'removeRollout':
      return { ...flag, rollouts: rollouts.toSpliced(rolloutAt, 1) }
    default:
      return flag
  }
}
