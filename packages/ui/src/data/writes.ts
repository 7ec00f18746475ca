import type { AnswerInfo, CallOptions } from '@svc/client/api'
import { api } from './api.ts'
import { noteOwnRevision } from './live.ts'
import { refreshNamespace } from './queries.ts'

export interface Written<T> {
  readonly value: T
  /** The revision of the namespace that it made; nothing when nothing changed or it is of no namespace. */
  readonly revision: number | undefined
  readonly etag: string | undefined
}

/** How what is shown is read anew after a write. */
export interface RefreshOptions {
  /** Lists keep what they show and its order until they are asked for anew. */
  readonly isInPlace?: boolean
  /** Runs before it, such as to leave the page of what was deleted: reading that anew would fail. */
  readonly onWritten?: () => Promise<void>
}

/**
 * Does a write of a namespace, and reads anew what is shown of it. It is not repeated: after an error whose
 * answer did not come ({@link isUnsettled}) read what has become of it first.
 *
 * @param call is handed options to pass on
 */
export async function write<T>(
  namespaceKey: string,
  call: (options: Pick<CallOptions, 'onAnswer'>) => Promise<T>,
  { isInPlace, onWritten }: RefreshOptions = {},
): Promise<Written<T>> {
  let answer: AnswerInfo | undefined
  const value = await call({
    onAnswer: (info) => {
      answer = info
    },
  })
  const revision = readRevision(answer?.revision)
  if (revision !== undefined) noteOwnRevision(namespaceKey, revision)
  await onWritten?.()
  await refreshNamespace(namespaceKey, isInPlace)
  return { value, revision, etag: answer?.etag }
}

/** Puts back what a change has changed; others may have changed other things since. */
export function undo(namespaceKey: string, revision: number): Promise<Written<unknown>> {
  return write(namespaceKey, (options) =>
    api.documents.undoChange({ namespaceKey, revision: String(revision) }, options),
  )
}

/** Changes that are looked through for the one that takes another back. */
const maxLaterChanges = 100

/** Whether a change was taken back, for when the answer to that was lost. What is shown is read anew. */
export async function isUndone(namespaceKey: string, revision: number): Promise<boolean> {
  const { changes } = await api.changes.list({
    namespaceKey,
    after: revision,
    limit: maxLaterChanges,
  })
  await refreshNamespace(namespaceKey)
  return changes.some(({ details }) => details?.undoes === revision)
}

/** @param text such as `shop:42` */
function readRevision(text: string | undefined): number | undefined {
  const revision = Number(text?.slice(text.lastIndexOf(':') + 1))
  return text === undefined || !Number.isSafeInteger(revision) ? undefined : revision
}
