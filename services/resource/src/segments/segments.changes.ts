import type {
  CreateSegmentRequest,
  DeleteSegmentRequest,
  Segment,
  UpdateSegmentRequest,
} from '@svc/proto/resource/v1/segments'
import type { UseCase } from '../changes/recorder.ts'
import { explainViolations } from '../violations.ts'
import { deleteSegmentRow, insertSegmentRow, updateSegmentRow } from './segments.store.ts'
import { segmentInUse, segmentNotFound, segmentNotUnique } from './segments.ts'

export const createSegment: UseCase<CreateSegmentRequest, Segment> = async (
  tx,
  change,
  request,
) => {
  change.changed('segment', request.key)
  return explainViolations(insertSegmentRow(tx, request), {
    segment_is_unique: () => segmentNotUnique(request),
  })
}

export const updateSegment: UseCase<UpdateSegmentRequest, Segment> = async (
  tx,
  change,
  request,
) => {
  const segment = await updateSegmentRow(tx, request)
  if (segment === undefined) throw segmentNotFound(request.namespaceKey, request.key)
  change.changed('segment', request.key)
  return segment
}

export const deleteSegment: UseCase<DeleteSegmentRequest, void> = async (tx, change, request) => {
  const { namespaceKey, key } = request
  const bytes = await explainViolations(deleteSegmentRow(tx, namespaceKey, key), {
    segment_exists: () => segmentInUse(request),
  })
  if (bytes !== undefined) change.deleted('segment', key, bytes)
}
