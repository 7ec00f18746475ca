import type { Queryable } from '@svc/database'
import type {
  CreateSegmentRequest,
  DeleteSegmentRequest,
  Segment,
  UpdateSegmentRequest,
} from '@svc/proto/resource/v1/segments'
import type { ChangeRecorder } from '../changes/recorder.ts'
import { explainViolations } from '../violations.ts'
import { deleteSegmentRow, insertSegmentRow, updateSegmentRow } from './segments.store.ts'
import { segmentInUse, segmentNotFound, segmentNotUnique } from './segments.ts'

export async function createSegment(
  tx: Queryable,
  change: ChangeRecorder,
  request: CreateSegmentRequest,
): Promise<Segment> {
  change.changed('segment', request.key)
  return explainViolations(insertSegmentRow(tx, request), {
    segment_is_unique: () => segmentNotUnique(request),
  })
}

export async function updateSegment(
  tx: Queryable,
  change: ChangeRecorder,
  request: UpdateSegmentRequest,
): Promise<Segment> {
  const segment = await updateSegmentRow(tx, request)
  if (segment === undefined) throw segmentNotFound(request.namespaceKey, request.key)
  change.changed('segment', request.key)
  return segment
}

export async function deleteSegment(
  tx: Queryable,
  change: ChangeRecorder,
  request: DeleteSegmentRequest,
): Promise<void> {
  const { namespaceKey, key } = request
  const bytes = await explainViolations(deleteSegmentRow(tx, namespaceKey, key), {
    segment_exists: () => segmentInUse(request),
  })
  if (bytes !== undefined) change.deleted('segment', key, bytes)
}
