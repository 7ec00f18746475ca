import { Constraint } from '@svc/proto/resource/v1/constraints'
import type { Segment } from '@svc/proto/resource/v1/segments'
import { reference } from '../../replica/flag-lines.ts'

/** The parts of a snapshot that a client understands. */
export interface Understood {
  /** Whether constraints may compare the entity's id. */
  readonly hasEntityIds: boolean
  readonly hasDefaultVariants: boolean
}

/** A segment without constraints matches every entity; one that does not exist must match none. */
const missing = [Constraint.fromPartial({})]

/** Reads the texts of flags as a client understands them, with the segments of their namespace, each written once. */
export class FlagReader {
  readonly #segments: ReadonlyMap<string, Segment>
  readonly #understood: Understood
  /** By the line that refers to them. */
  readonly #segmentTexts = new Map<string, string>()

  constructor(segments: ReadonlyMap<string, Segment>, understood: Understood) {
    this.#segments = segments
    this.#understood = understood
  }

  /** The texts that together are the flag. */
  read(flagText: string): readonly string[] {
    const lines = flagText.split('\n')
    const start = lines.findIndex((line) => line.startsWith('{'))
    const texts: string[] = []
    for (const line of lines.slice(start)) {
      if (!line.startsWith('\t')) texts.push(line)
      else if (line.startsWith(reference.attachment)) texts.push(lines[Number(line.slice(2))] ?? '')
      else if (line !== reference.defaultVariant) texts.push(this.#segmentText(line))
      else if (!this.#understood.hasDefaultVariants) {
        texts.push('}')
        break
      }
    }
    return texts
  }

  #segmentText(line: string): string {
    const known = this.#segmentTexts.get(line)
    if (known !== undefined) return known
    const key = line.slice(reference.segmentInRule.length)
    const { matchType = 'ALL_MATCH_TYPE', constraints = missing } = this.#segments.get(key) ?? {}
    const json = JSON.stringify({
      key,
      name: '',
      description: '',
      matchType: matchType.replace('_MATCH_TYPE', '_SEGMENT_MATCH_TYPE'),
      constraints: constraints.map((constraint) => ({
        // In rollouts the constraints have no ids.
        id: line.startsWith(reference.segmentInRule) ? constraint.id : '',
        type: typeName(constraint, this.#understood),
        property: constraint.property,
        operator: constraint.operator,
        value: constraint.value,
      })),
    })
    const text = Buffer.from(json).toString('latin1')
    this.#segmentTexts.set(line, text)
    return text
  }
}

function typeName({ type }: Constraint, { hasEntityIds }: Understood): string {
  const isKnown = hasEntityIds || type !== 'ENTITY_ID_COMPARISON_TYPE'
  const known = isKnown ? type : 'UNKNOWN_COMPARISON_TYPE'
  return known.replace('_COMPARISON_TYPE', '_CONSTRAINT_COMPARISON_TYPE')
}
