import { canonicalText, diffDocuments, patchDocument } from '@svc/documents'
import { type AppError, preconditionFailed } from '@svc/runtime'
import type { Document, Operation } from './operations.ts'

/** The object was changed since its caller has read it. */
function revisionMismatch(title: string, revision: number | undefined, expected: number): AppError {
  const message =
    revision === undefined ? `${title} does not exist` : `${title} is at revision ${revision}`
  const rest = expected === 0 ? ', and must not exist' : `, not ${expected}`
  return preconditionFailed('revision_mismatch', revision === undefined ? message : message + rest)
}

export function expectationFailed(message: string): AppError {
  return preconditionFailed('expectation_failed', message)
}

export function planChanged(): AppError {
  const message = 'the plan is another one now: repeat the dry run'
  return preconditionFailed('plan_changed', message)
}

/** @throws {AppError} `failed_precondition` when the object is not what the operation was made for */
export function checkPreconditions(
  title: string,
  { kind, ifRevision, expect }: Operation,
  revision: number | undefined,
  current: Document | undefined,
): void {
  if (ifRevision !== undefined && ifRevision !== (revision ?? 0)) {
    throw revisionMismatch(title, revision, ifRevision)
  }
  if (expect === undefined) return
  if (current === undefined) throw expectationFailed(`${title} does not exist`)
  const expected = patchDocument(kind, current, expect)
  if (canonicalText(kind, current) === canonicalText(kind, expected)) return
  const [first] = diffDocuments(kind, current, expected)
  const { path = 'it', before = 'nothing', after = 'nothing' } = first ?? {}
  throw expectationFailed(`${title}: ${path} is ${shortened(before)}, not ${shortened(after)}`)
}

/** Enough to recognize a value; the answer is no place for a whole attachment. */
const maxQuoted = 255

function shortened(text: string): string {
  return text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text
}
