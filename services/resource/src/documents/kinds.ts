import type { Kind } from '@svc/documents'
import type { ObjectKind } from '@svc/proto/resource/v1/documents'

/** The kind of an object as messages have it. */
export const objectKindOf: Readonly<Record<Kind, ObjectKind>> = {
  namespace: 'NAMESPACE_KIND',
  flag: 'FLAG_KIND',
  segment: 'SEGMENT_KIND',
}

/** The kind that a message names; nothing for the unknown one. */
export const kindOf: Readonly<Record<ObjectKind, Kind | undefined>> = {
  UNKNOWN_KIND: undefined,
  NAMESPACE_KIND: 'namespace',
  FLAG_KIND: 'flag',
  SEGMENT_KIND: 'segment',
}
