import type { EvaluationVector, VectorDocument } from '@svc/evaluation/testing'

type Request = EvaluationVector['request']
type Constraint = NonNullable<VectorDocument['segments'][number]['constraints']>[number]

/**
 * Whether the engine of the client-side SDKs evaluates a request as the server does, going by what is
 * known of it (contract 4.3): it splits by whole percentages that make up a hundred, trims no text,
 * and compares only whole numbers, `true` and `false`, and date-times without a fraction.
 */
export function isWithinEngine(document: VectorDocument, request: Request): boolean {
  const { rules = [], rollouts = [] } =
    document.flags.find(({ key }) => key === request.flagKey) ?? {}
  const segmentKeys = new Set([
    ...rules.flatMap(({ segment }) => keysOf(segment)),
    ...rollouts.flatMap(({ segment }) => (segment === undefined ? [] : keysOf(segment))),
  ])
  const segments = document.segments.filter(({ key }) => segmentKeys.has(key))
  return (
    // It asks for an entity.
    request.entityId.trim() !== '' &&
    rules.every(({ distributions }) => areWhole(distributions.map(({ rollout }) => rollout))) &&
    rollouts.every(({ threshold }) => Number.isInteger(threshold?.percentage ?? 0)) &&
    segments.every(({ constraints = [] }) =>
      constraints.every((constraint) => isComparable(constraint, request)),
    )
  )
}

function keysOf(segment: string | { readonly key: string } | { readonly keys: readonly string[] }) {
  if (typeof segment === 'string') return [segment]
  return 'keys' in segment ? segment.keys : [segment.key]
}

function areWhole(shares: readonly number[]): boolean {
  if (shares.length === 0) return true
  const isWhole = shares.every((share) => Number.isInteger(share) && share > 0)
  return isWhole && shares.reduce((sum, share) => sum + share) === 100
}

function isComparable({ type, property, operator, value = '' }: Constraint, request: Request) {
  const given =
    type === 'ENTITY_ID_COMPARISON_TYPE' ? request.entityId : (request.context[property] ?? '')
  if (/^[\s\ufeff]|[\s\ufeff]$/.test(given)) return false
  if (given === '' || operator.endsWith('present')) return true
  switch (type) {
    case 'NUMBER_COMPARISON_TYPE':
      return /^-?\d{1,9}$/.test(given) && /^(-?\d{1,9}|\[[-\d, ]*\])$/.test(value)
    case 'BOOLEAN_COMPARISON_TYPE':
      return given === 'true' || given === 'false'
    case 'DATETIME_COMPARISON_TYPE':
      return dateTime.test(given) && dateTime.test(value)
    default:
      return true
  }
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
