import type { ComparisonType } from '@svc/proto/resource/v1/constraints'
import type {
  ConstraintDocument,
  DistributionDocument,
  FlagDocument,
  NamespaceSettings,
  RolloutDocument,
  RuleDocument,
  SegmentDocument,
  SegmentShare,
  VariantDocument,
} from '@svc/proto/resource/v1/documents'
import type { FlagType } from '@svc/proto/resource/v1/flags'
import type { RolloutThreshold } from '@svc/proto/resource/v1/rollouts'
import type { SegmentOperator } from '@svc/proto/resource/v1/segment_operators'
import type { MatchType } from '@svc/proto/resource/v1/segments'

/** The documents there are, by the name of their kind in the change log. */
export interface DocumentOf {
  readonly flag: FlagDocument
  readonly segment: SegmentDocument
  readonly namespace: NamespaceSettings
}

export type Kind = keyof DocumentOf

/** What the protos say of a member. Descriptors would say it as well, and take megabytes of a browser. */
export type Member =
  | { readonly type: 'text' | 'boolean' | 'float' | 'texts' | 'json' }
  /** The first value is the zero value. */
  | { readonly type: 'enum'; readonly values: readonly string[] }
  | { readonly type: 'message'; readonly shape: Shape }
  | { readonly type: 'list'; readonly shape: Shape }

/** The members of a message, in the order of the proto. */
export interface Shape {
  /** In messages of errors, such as `a rule`. */
  readonly title: string
  readonly members: Readonly<Record<string, Member>>
  /** The same as pairs, which take half the time to go through. */
  readonly entries: readonly (readonly [name: string, member: Member])[]
  /** Members of which one at most is present. */
  readonly oneOf: readonly string[]
  /** Of an element of a list: what people tell it from others by, where there are no ids. */
  nameOf?(element: object): unknown
}

const text: Member = { type: 'text' }
const boolean: Member = { type: 'boolean' }
const float: Member = { type: 'float' }
const texts: Member = { type: 'texts' }
const listOf = (shape: Shape): Member => ({ type: 'list', shape })

interface MoreOf<T> {
  readonly oneOf?: readonly (keyof T & string)[]
  nameOf?(element: T): unknown
}

/** Does not compile unless every member of the message is there. */
function shape<T extends object>(
  title: string,
  members: Record<keyof Required<T>, Member>,
  { oneOf = [], nameOf }: MoreOf<T> = {},
): Shape {
  return { title, members, entries: Object.entries(members), oneOf, ...(nameOf && { nameOf }) }
}

function enumOf<T extends string>(...values: readonly T[]): Member {
  return { type: 'enum', values }
}

const operator = enumOf<SegmentOperator>('OR_SEGMENT_OPERATOR', 'AND_SEGMENT_OPERATOR')

const variant = shape<VariantDocument>(
  'a variant',
  { id: text, key: text, name: text, description: text, attachment: text, default: boolean },
  { nameOf: ({ key }) => key },
)

const distribution = shape<DistributionDocument>(
  'a distribution',
  { id: text, variant: text, rollout: float },
  { nameOf: ({ variant }) => variant },
)

const rule = shape<RuleDocument>(
  'a rule',
  { id: text, segments: texts, operator, distributions: listOf(distribution) },
  { nameOf: ({ segments }) => segments },
)

const segmentShare = shape<SegmentShare>('a share of segments', {
  segments: texts,
  operator,
  value: boolean,
})

const threshold = shape<RolloutThreshold>('a threshold', { percentage: float, value: boolean })

const rollout = shape<RolloutDocument>(
  'a rollout',
  {
    id: text,
    description: text,
    segment: { type: 'message', shape: segmentShare },
    threshold: { type: 'message', shape: threshold },
  },
  { oneOf: ['segment', 'threshold'], nameOf: ({ segment }) => segment?.segments ?? 'threshold' },
)

const comparisonType = enumOf<ComparisonType>(
  'UNKNOWN_COMPARISON_TYPE',
  'STRING_COMPARISON_TYPE',
  'NUMBER_COMPARISON_TYPE',
  'BOOLEAN_COMPARISON_TYPE',
  'DATETIME_COMPARISON_TYPE',
  'ENTITY_ID_COMPARISON_TYPE',
)

const constraint = shape<ConstraintDocument>(
  'a constraint',
  {
    id: text,
    type: comparisonType,
    property: text,
    operator: text,
    value: text,
    description: text,
  },
  { nameOf: ({ type, property, operator }) => [type, property, operator] },
)

/** Held against the protos by a test. */
export const shapeOf: Readonly<Record<Kind, Shape>> = {
  flag: shape<FlagDocument>('a flag', {
    key: text,
    type: enumOf<FlagType>('VARIANT_FLAG_TYPE', 'BOOLEAN_FLAG_TYPE'),
    name: text,
    description: text,
    enabled: boolean,
    metadata: { type: 'json' },
    variants: listOf(variant),
    rules: listOf(rule),
    rollouts: listOf(rollout),
  }),
  segment: shape<SegmentDocument>('a segment', {
    key: text,
    name: text,
    description: text,
    matchType: enumOf<MatchType>('ALL_MATCH_TYPE', 'ANY_MATCH_TYPE'),
    constraints: listOf(constraint),
  }),
  namespace: shape<NamespaceSettings>('settings of a namespace', {
    name: text,
    description: text,
    color: text,
    confirm: boolean,
  }),
}
