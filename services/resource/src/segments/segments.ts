import type {
  CreateSegmentRequest,
  GetSegmentRequest,
  UpdateSegmentRequest,
} from '@svc/proto/resource/v1/segments'
import { type AppError, alreadyExists, invalidArgument, notFound } from '@svc/runtime'
import { checkKey, checkLong, checkPresent, inNamespace } from '../fields.ts'

/** What says which segment is meant. */
type SegmentName = Pick<GetSegmentRequest, 'namespaceKey' | 'key'>

export function checkSegmentName<T extends SegmentName>(request: T): T {
  const name = inNamespace(request)
  checkKey('key', name.key)
  return name
}

export function checkSegment<T extends CreateSegmentRequest | UpdateSegmentRequest>(request: T): T {
  const segment = checkSegmentName(request)
  checkPresent('name', segment.name)
  checkLong('description', segment.description)
  return segment
}

export function segmentNotFound(namespaceKey: string, key: string): AppError {
  return notFound('segment', `segment "${namespaceKey}/${key}" not found`)
}

export function segmentNotUnique({ namespaceKey, key }: SegmentName): AppError {
  return alreadyExists('segment', `segment "${namespaceKey}/${key}" is not unique`)
}

export function segmentInUse({ namespaceKey, key }: SegmentName): AppError {
  return invalidArgument(`segment "${namespaceKey}/${key}" is in use`)
}
