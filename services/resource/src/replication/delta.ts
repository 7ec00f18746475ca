import type { Segment } from '@svc/proto/resource/v1/segments'
import type { EncodedFlag } from './flag-states.ts'

/** What has happened to a namespace since a revision. */
export type Delta = Deletion | NamespaceDelta

/** There is no such namespace. */
export interface Deletion {
  readonly namespaceKey: string
  readonly deleted: true
  /** Of the deletion; `undefined` when its tombstone is gone. */
  readonly revision: number | undefined
}

export interface NamespaceDelta {
  readonly namespaceKey: string
  readonly deleted: false
  /** 0 when this is the whole namespace. */
  readonly fromRevision: number
  readonly revision: number
  /** An earlier revision is of another namespace of the same key. */
  readonly createdRevision: number
  /** Tombstones up to here may be gone. */
  readonly compactedRevision: number
  readonly flags: readonly EncodedFlag[]
  readonly segments: readonly SizedSegment[]
  /** When this is the whole namespace, all that are known. */
  readonly tombstones: readonly Tombstone[]
}

export interface SizedSegment {
  readonly revision: number
  readonly segment: Segment
  /** What it takes in a message. */
  readonly bytes: number
}

export interface Tombstone {
  readonly kind: 'flag' | 'segment'
  readonly key: string
  readonly revision: number
}
