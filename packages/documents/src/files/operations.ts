import type {
  FlagDocument,
  NamespaceSettings,
  SegmentDocument,
} from '@svc/proto/resource/v1/documents'
import { toJson } from '../canonical.ts'
import { dropIds } from '../ids.ts'
import { type DocumentOf, type Kind, shapeOf } from '../shapes.ts'

/** What to do with one object, as `POST …/apply` takes it: one of the members after `key`. */
export interface Operation {
  readonly kind: 'NAMESPACE_KIND' | 'FLAG_KIND' | 'SEGMENT_KIND'
  readonly key: string
  readonly flag?: Sent<FlagDocument> | undefined
  readonly segment?: Sent<SegmentDocument> | undefined
  readonly settings?: Sent<NamespaceSettings> | undefined
  /** JSON merge patch of the document. */
  readonly patch?: Json | undefined
  readonly delete?: boolean | undefined
  /** The revision that the object has to be at; 0: it must not exist; left out: any. */
  readonly ifRevision?: number | undefined
}

/** A document as it is sent: without its zero values. */
type Sent<D extends { readonly name: string }> = Partial<D> & Pick<D, 'name'>

/** An object of JSON. */
export interface Json {
  readonly [name: string]: JsonValue
}

type JsonValue = string | number | boolean | null | readonly JsonValue[] | Json

/** Flags and segments that an apply sets. */
export interface Documents {
  readonly flags: readonly FlagDocument[]
  readonly segments: readonly SegmentDocument[]
}

export interface SetOptions {
  /**
   * Also send the ids of what is in the documents: to bring back objects that were deleted. What is in an object
   * that is there keeps the ids that it has, and gets new ones for what it lacks.
   * @default false
   */
  readonly keepIds?: boolean
  /** Of every operation; 0: none of the objects may exist. @default any */
  readonly ifRevision?: number
}

/** Operations that set whole flags and segments, in the order of the lists, segments first. */
export function setOperations(
  { flags, segments }: Documents,
  options: SetOptions = {},
): Operation[] {
  return [
    ...segments.map((segment) => setOperation('segment', segment, options)),
    ...flags.map((flag) => setOperation('flag', flag, options)),
  ]
}

/** The operation that makes or replaces one flag or segment. */
export function setOperation<K extends 'flag' | 'segment'>(
  kind: K,
  document: DocumentOf[K],
  { keepIds = false, ifRevision }: SetOptions = {},
): Operation {
  const sent = keepIds ? document : dropIds(kind, document)
  return {
    kind: objectKindOf[kind],
    key: document.key,
    [kind]: toJson(shapeOf[kind], sent),
    ...(ifRevision !== undefined && { ifRevision }),
  }
}

/** The operation that deletes an object; one that does not exist is no error. */
export function deleteOperation(kind: 'flag' | 'segment', key: string): Operation {
  return { kind: objectKindOf[kind], key, delete: true }
}

const objectKindOf = {
  namespace: 'NAMESPACE_KIND',
  flag: 'FLAG_KIND',
  segment: 'SEGMENT_KIND',
} as const satisfies Record<Kind, Operation['kind']>
