import { invalidField, preconditionFailed } from '@svc/runtime'
import { type ChangedRecord, idOf, titleOf } from './changed-record.ts'
import type { ChangeContext } from './origin.ts'
import type { Beginning, ChangeRecorder } from './recorder.ts'

/** The tag of a flag, a segment, or a namespace's settings at a revision. */
export function tagOf(namespaceKey: string, revision: number): string {
  return `${namespaceKey}:${revision}`
}

/** As HTTP writes it (RFC 9110 section 8.8.3). */
export function etagOf(tag: string): string {
  return `"${tag}"`
}

/** The tag of a record as it was before a change; nothing when it did not exist. */
export function presentTag(
  change: ChangeRecorder | undefined,
  record: ChangedRecord,
): string | undefined {
  const present = change?.before(record)
  return change && present && tagOf(change.namespaceKey, present.revision)
}

/** What a write expects of the record that it is about: that it is there, or that it has one of the tags. */
export interface IfMatch {
  readonly record: ChangedRecord
  readonly tags: '*' | readonly string[]
}

/**
 * @param record that is written, if it is only one
 * @throws {AppError} `invalid_argument` for what is no list of tags, and for a write to several records
 */
export function readIfMatch(
  { get }: Pick<ChangeContext, 'get'>,
  record: ChangedRecord | undefined,
): IfMatch | undefined {
  const header = get('svc-if-match')
  if (header === undefined) return undefined
  if (record === undefined) {
    throw invalidField('If-Match', 'must be about one flag, segment or namespace')
  }
  if (header.trim() === '*') return { record, tags: '*' }
  const tags = parseTags(header)
  if (tags.length > 0) return { record, tags }
  throw invalidField('If-Match', 'must be * or a list of tags, such as "default:42"')
}

/** An element of a list, which may be empty. Keys of namespaces may have commas in them. */
const element = / *(?:(?:W\/)?"([^" ]*)" *)?(?:,|$)/y

/**
 * Weak tags count: a proxy that compresses an answer weakens its tag.
 *
 * @returns the tags without their quotes; none unless all of the list are
 */
function parseTags(header: string): string[] {
  const tags: string[] = []
  element.lastIndex = 0
  while (element.lastIndex < header.length) {
    const match = element.exec(header)
    if (match === null) return []
    if (match[1] !== undefined) tags.push(match[1])
  }
  return tags
}

/**
 * Refuses a write whose record is not as it expects. The refusal carries the present tag.
 *
 * @param beginning what is there, read under the lock
 * @throws {AppError} `revision_mismatch`
 */
export function checkIfMatch(
  { record, tags }: IfMatch,
  { setTrailer }: Pick<ChangeContext, 'setTrailer'>,
  namespaceKey: string,
  { before }: Beginning,
): void {
  const title = titleOf(namespaceKey, record)
  const revision = before.get(idOf(record))?.revision
  if (revision === undefined) {
    throw preconditionFailed('revision_mismatch', `${title} does not exist`)
  }
  const tag = tagOf(namespaceKey, revision)
  if (tags === '*' || tags.includes(tag)) return
  setTrailer('svc-revision', tag)
  setTrailer('svc-etag', etagOf(tag))
  const message = `${title} is at revision ${revision}, not ${expected(tags, namespaceKey)}`
  throw preconditionFailed('revision_mismatch', message)
}

/** The revision that a caller holds; of several tags, or of one that is not ours, no more than that. */
function expected([tag = '', ...others]: readonly string[], namespaceKey: string): string {
  const revision = Number(tag.slice(namespaceKey.length + 1))
  const isOurs = tag === tagOf(namespaceKey, revision) && others.length === 0
  return isOurs ? String(revision) : 'what If-Match names'
}
