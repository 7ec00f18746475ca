import type { ConstraintRecord, SegmentRecord } from '@svc/evaluation'

/** An entity that flags are evaluated for. */
export interface Entity {
  readonly id: string
  readonly attributes: Attributes
}

type Attributes = ReturnType<typeof makeAttributes>

export interface Segment extends SegmentRecord {
  /** The key in the constraints' own words, for checking what the contestants make of them. */
  includes(attributes: Attributes): boolean
}

/** Decided by one segment of two constraints, both of which must hold. */
export interface Flag {
  readonly key: string
  readonly segment: Segment
}

/** Flags that are evaluated for an entity one after the other. */
export interface Question {
  readonly entity: Entity
  readonly flags: readonly Flag[]
}

/**
 * All flags of one entity before the next one's, as an application asks for a page, or OFREP in bulk;
 * or every evaluation by itself, for another flag and another entity than the one before.
 */
export type Order = 'in bulk' | 'one by one'

/** A boolean flag is on in its segment, and for this many percent of those who are not in it. */
export const percentage = 25

/** A variant flag divides its segment like this, in percent. */
export const weights = { blue: 60, green: 30, amber: 10 } as const
/** What all others have. */
export const defaultVariant = 'control'
export const attachment = { primary: '#1d4ed8', text: '#ffffff' }

/** How many flags there are of each type. */
const flagCount = 50

/** Few enough for the processor's cache, where the context of a request that was just read is too. */
const entityCount = 40

const union =
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ')
const elsewhere = 'AR AU BR CA CH CN GB ID IN JP KE KR MX NG NO NZ US VN ZA'.split(' ')

export const segments: readonly Segment[] = [
  {
    key: 'adults-in-eu',
    matchType: 'ALL_MATCH_TYPE',
    constraints: [
      constraint('STRING', 'country', 'isoneof', JSON.stringify(union)),
      constraint('NUMBER', 'age', 'gte', '18'),
    ],
    includes: ({ country, age }) => union.includes(country) && age >= 18,
  },
  {
    key: 'large-teams',
    matchType: 'ALL_MATCH_TYPE',
    constraints: [
      constraint('STRING', 'plan', 'isoneof', '["team","enterprise"]'),
      constraint('NUMBER', 'seats', 'gte', '10'),
    ],
    includes: ({ plan, seats }) => (plan === 'team' || plan === 'enterprise') && seats >= 10,
  },
  {
    key: 'testers-among-staff',
    matchType: 'ALL_MATCH_TYPE',
    constraints: [
      constraint('BOOLEAN', 'tester', 'true'),
      constraint('STRING', 'email', 'suffix', '@example.com'),
    ],
    includes: ({ tester, email }) => tester && email.endsWith('@example.com'),
  },
  {
    key: 'phones-outside-eu',
    matchType: 'ALL_MATCH_TYPE',
    constraints: [
      constraint('STRING', 'device', 'eq', 'phone'),
      constraint('STRING', 'country', 'isnotoneof', JSON.stringify(union)),
    ],
    includes: ({ device, country }) => device === 'phone' && !union.includes(country),
  },
]

export const booleanFlags = makeFlags('boolean')
export const variantFlags = makeFlags('variant')

const entities: readonly Entity[] = numbers(entityCount).map((number) => ({
  id: `user-${number}`,
  attributes: makeAttributes(number),
}))

/** A list with room for an answer to each evaluation of one type. */
export function noAnswers<T>(answer: T): T[] {
  return numbers(entityCount * flagCount).map(() => answer)
}

/** Every flag for every entity. */
export function ask(order: Order, flags: readonly Flag[]): readonly Question[] {
  return order === 'in bulk'
    ? entities.map((entity) => ({ entity, flags }))
    : entities.flatMap((_, round) =>
        flags.map((flag, i) => ({ entity: pick(entities, round + 7 * i), flags: [flag] })),
      )
}

/** Questions in a contestant's own form: one context for each entity, as if it had come as JSON. */
export function prepare<Context>(
  questions: readonly Question[],
  toContext: (entity: Entity) => Context,
) {
  const contexts = new Map<Entity, { readonly entityId: string; readonly context: Context }>(
    entities.map((entity) => {
      const prepared = { entityId: entity.id, context: toContext(entity) }
      return [entity, JSON.parse(JSON.stringify(prepared))]
    }),
  )
  return questions.map(({ entity, flags }) => {
    const prepared = contexts.get(entity)
    if (prepared === undefined) throw new Error(`there is no context for ${entity.id}`)
    return { ...prepared, flagKeys: flags.map(({ key }) => key) }
  })
}

/** What a contestant is asked with. */
export type ToContext = (entity: Entity) => Readonly<Record<string, unknown>>

/** The attributes as they are: texts, numbers and booleans. */
export const toValues: ToContext = ({ attributes }) => attributes

/** The attributes as texts, where a contestant knows no other values. */
export function toTexts({ attributes }: Entity): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, `${value}`]))
}

function makeAttributes(number: number) {
  return {
    country: pick(number % 2 === 0 ? union : elsewhere, number),
    plan: pick(['free', 'pro', 'team', 'enterprise'], number),
    email: `user-${number}@${pick(['example.com', 'example.com', 'example.org'], number)}`,
    age: 12 + ((number * 13) % 60),
    seats: (number * 7) % 40,
    device: pick(['phone', 'tablet', 'desktop'], number),
    version: `4.${number % 12}.${number % 5}`,
    tester: number % 5 < 3,
  }
}

function makeFlags(type: string): readonly Flag[] {
  return numbers(flagCount).map((number) => ({
    key: `${type}-${number}`,
    segment: pick(segments, number),
  }))
}

function constraint(
  type: string,
  property: string,
  operator: string,
  value = '',
): ConstraintRecord {
  return { type: `${type}_COMPARISON_TYPE`, property, operator, value }
}

function pick<T>(items: readonly T[], number: number): T {
  const item = items[number % items.length]
  if (item === undefined) throw new Error('there is nothing to pick from')
  return item
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, number) => number)
}
