import type { ConstraintFinding, Explanation, SegmentFinding, Step } from '@svc/client/api'
import type { Output } from './output.ts'

type Styles = Pick<Output, 'style'>

/** An explanation in words: the answer first, then each step with what was found. */
export function explanationText(explanation: Explanation, output: Styles): string {
  const { flagKey, entityId, notes } = explanation
  return [
    `${output.style('bold', flagKey)} serves ${output.style('bold', servedText(explanation))} to ${entityId === '' ? 'an entity without an id' : entityId}, ${reasonText(explanation)}`,
    ...explanation.steps.flatMap((step) => stepLines(step, output)),
    ...notes.map(({ text }) => `note: ${text}`),
    `revision ${explanation.revision}`,
  ].join('\n')
}

function servedText({ boolean, variant }: Explanation): string {
  if (boolean !== undefined) return `${boolean.enabled}`
  return variant?.variantKey || 'nothing'
}

function reasonText({ reason, decidedBy }: Explanation): string {
  switch (reason) {
    case 'MATCH_EVALUATION_REASON':
      return `by step ${decidedBy}`
    case 'FLAG_DISABLED_EVALUATION_REASON':
      return 'for it is off'
    case 'DEFAULT_EVALUATION_REASON':
      return 'its default'
    case 'UNKNOWN_EVALUATION_REASON':
      return 'for no rule matched and it has no default'
  }
}

const verdicts = {
  NOT_REACHED_VERDICT: 'not reached',
  NOT_MATCHED_VERDICT: 'does not match',
  MATCHED_VERDICT: 'decides',
  BEYOND_VERDICT: 'matches, but the entity is in none of its shares',
} satisfies Record<Step['verdict'], string>

function stepLines({ place, verdict, segments, bucket, serves }: Step, output: Styles): string[] {
  const decides = verdict === 'MATCHED_VERDICT'
  const gets = serves === '' ? '' : ` → ${serves}`
  return [
    `  ${place}. ${output.style(decides ? 'green' : 'dim', verdicts[verdict])}${gets}`,
    ...segments.flatMap(segmentLines),
    ...(bucket === undefined
      ? []
      : [`     stands at ${bucket.place} of ${bucket.places}; shares ${sharesText(bucket)}`]),
  ]
}

function segmentLines({ key, exists, member, constraints }: SegmentFinding): string[] {
  if (!exists) return [`     segment ${key} does not exist`]
  return [
    `     segment ${key} ${member ? 'matches' : 'does not match'}`,
    ...constraints.map((finding) => `       ${constraintText(finding)}`),
  ]
}

function constraintText(finding: ConstraintFinding): string {
  const { property, operator, value, actual, holds, cause } = finding
  const asked = [property, operator, value].filter((part) => part !== '').join(' ')
  return `${holds ? 'holds' : 'fails'}: ${asked} (${actualText(cause, actual)})`
}

function actualText(cause: ConstraintFinding['cause'], actual: string | undefined): string {
  switch (cause) {
    case 'COMPARED_CAUSE':
      return `it is ${actual ?? 'absent'}`
    case 'ABSENT_CAUSE':
      return 'it is absent'
    case 'UNREADABLE_ACTUAL_CAUSE':
      return `"${actual ?? ''}" is of another type`
    case 'UNREADABLE_VALUE_CAUSE':
      return 'the value of the constraint is of another type'
    case 'UNKNOWN_OPERATOR_CAUSE':
      return 'the type has no such operator'
  }
}

function sharesText({ shares }: NonNullable<Step['bucket']>): string {
  return shares
    .map(
      ({ serves, from, to, chosen }) =>
        `${serves || 'nothing'} ${from}–${to - 1}${chosen ? ' ←' : ''}`,
    )
    .join(', ')
}
