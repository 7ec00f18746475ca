import type { Segment } from '@svc/proto/resource/v1/segments'
import { type AppError, alreadyExists, invalidArgument, notFound } from '@svc/runtime'

/** What says which segment is meant. */
type SegmentName = Pick<Segment, 'namespaceKey' | 'key'>

export function segmentNotFound(namespaceKey: string, key: string): AppError {
  return notFound('segment', `segment "${namespaceKey}/${key}" not found`)
}

export function segmentNotUnique({ namespaceKey, key }: SegmentName): AppError {
  return alreadyExists('segment', `segment "${namespaceKey}/${key}" is not unique`)
}

export function segmentInUse({ namespaceKey, key }: SegmentName): AppError {
  return invalidArgument(`segment "${namespaceKey}/${key}" is in use`)
}
