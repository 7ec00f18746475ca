import type { SegmentDocument } from '@svc/client/api'
import type { Context } from '@svc/evaluation'
import { type Explanation, explain } from '@svc/evaluation/explain'

/** What a segment says of an entity, and each of its constraints. */
export type SegmentFinding = Explanation['steps'][number]['segments'][number]

/** Asks the engine of the service about a segment alone: a flag that has no other rollout. */
export function evaluateSegment(
  segment: SegmentDocument,
  entityId: string,
  context: Context,
): SegmentFinding | undefined {
  const { key } = segment
  const { steps } = explain({
    namespaceKey: '',
    revision: 0,
    flag: {
      key,
      type: 'BOOLEAN_FLAG_TYPE',
      enabled: false,
      variants: [],
      rules: [],
      rollouts: [
        {
          rank: 1,
          segment: {
            segmentKey: key,
            segmentKeys: [],
            segmentOperator: 'OR_SEGMENT_OPERATOR',
            value: true,
          },
        },
      ],
    },
    segments: new Map([[key, segment]]),
    entityId,
    context,
  })
  return steps[0]?.segments[0]
}
