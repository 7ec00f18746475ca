import type { Constraint } from '@svc/proto/resource/v1/constraints'
import type { Segment } from '@svc/proto/resource/v1/segments'
import type { FlagTextContext } from '../../replica/flag-text.ts'
import type { Form } from './form.ts'

/** The segments of a namespace as the JSON text that each rule and rollout has of them, made once. */
export class SegmentTexts implements FlagTextContext {
  readonly hasDefaultVariants: boolean
  readonly #segments: ReadonlyMap<string, Segment>
  readonly #form: Form
  readonly #inRules = new Map<string, string>()
  readonly #inRollouts = new Map<string, string>()

  constructor(segments: ReadonlyMap<string, Segment>, form: Form) {
    this.hasDefaultVariants = form.hasDefaultVariants
    this.#segments = segments
    this.#form = form
  }

  segmentInRule(key: string): string {
    return this.#textOf(key, this.#inRules, ({ id }) => id)
  }

  /** There the constraints have no ids. */
  segmentInRollout(key: string): string {
    return this.#textOf(key, this.#inRollouts, () => '')
  }

  #textOf(key: string, texts: Map<string, string>, idOf: (constraint: Constraint) => string) {
    const known = texts.get(key)
    if (known !== undefined) return known
    const { matchType = 'ALL_MATCH_TYPE', constraints = missing } = this.#segments.get(key) ?? {}
    const json = JSON.stringify({
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
    const text = Buffer.from(json).toString('latin1')
    texts.set(key, text)
    return text
  }
}

/** A segment without constraints matches every entity; one that does not exist must match none. */
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
