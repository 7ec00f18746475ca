import type { FieldChange } from '@svc/client/api'
import { readDocument } from './documents.ts'

/** A place in a list of a document, such as `rollouts[1].threshold.percentage`. */
interface Place {
  readonly list: string
  readonly index: number
  /** What of the element; empty for all of it. */
  readonly rest: string
}

/** @returns nothing for a path that does not begin with a list */
export function readPlace(path: string): Place | undefined {
  const [, list, index, rest = ''] = /^([a-zA-Z]+)\[(\d+)\](?:\.(.+))?$/.exec(path) ?? []
  return list === undefined || index === undefined
    ? undefined
    : { list, index: Number(index), rest }
}

/** The member that a change is about. Tags are one by themselves, though they stand in the metadata. */
export function topicOf({ path, before, after }: FieldChange): string {
  const names = Object.keys(readDocument(before ?? after))
  const isTags = path === 'metadata' && names.length === 1 && names[0] === 'tags'
  if (path === 'metadata.tags' || isTags) return 'tags'
  return /^[a-zA-Z]+/.exec(path)?.[0] ?? path
}
