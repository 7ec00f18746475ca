import type { Constraint } from '@svc/proto/resource/v1/constraints'
import type { Segment } from '@svc/proto/resource/v1/segments'
import type { Form } from './form.ts'

/**
 * The segments of a namespace as the JSON text that snapshots have of them in every rule and rollout,
 * each written once.
 */
export class SegmentTexts {
  readonly #segments: ReadonlyMap<string, Segment>
  readonly #form: Form
  readonly #inRules = new Map<string, string>()
  readonly #inRollouts = new Map<string, string>()

  constructor(segments: ReadonlyMap<string, Segment>, form: Form) {
    this.#segments = segments
    this.#form = form
  }

  inRule(key: string): string {
    return this.#textOf(key, this.#inRules, ({ id }) => id)
  }

  /** There the constraints have no ids. */
  inRollout(key: string): string {
    return this.#textOf(key, this.#inRollouts, () => '')
  }

  #textOf(key: string, texts: Map<string, string>, idOf: (constraint: Constraint) => string) {
    const known = texts.get(key)
    if (known !== undefined) return known
    const { matchType = 'ALL_MATCH_TYPE', constraints = missing } = this.#segments.get(key) ?? {}
    const text = JSON.stringify({
      key,
      name: '',
      description: '',
      matchType: matchType.replace('_MATCH_TYPE', '_SEGMENT_MATCH_TYPE'),
      constraints: constraints.map((constraint) => ({
        id: idOf(constraint),
        type: typeName(constraint, this.#form),
        property: constraint.property,
        operator: constraint.operator,
        value: constraint.value,
      })),
    })
    texts.set(key, text)
    return text
  }
}

/** A segment without constraints has everybody in it; one that does not exist must have nobody. */
const missing: Segment['constraints'] = [
  {
    id: '',
    segmentKey: '',
    type: 'UNKNOWN_COMPARISON_TYPE',
    property: '',
    operator: '',
    value: '',
    namespaceKey: '',
    description: '',
  },
]

function typeName({ type }: Constraint, { hasEntityIds }: Form): string {
  const isKnown = hasEntityIds || type !== 'ENTITY_ID_COMPARISON_TYPE'
  const known = isKnown ? type : 'UNKNOWN_COMPARISON_TYPE'
  return known.replace('_COMPARISON_TYPE', '_CONSTRAINT_COMPARISON_TYPE')
}
