import type { EventLoopScheduler } from '@svc/runtime'
import type { NamespaceState, NamespaceView } from '../../replica/namespace-state.ts'
import { decodeState } from '../../replica/namespace-state.ts'
import { encodeEvent } from '../../streams/frame.ts'
import { FlagTexts } from './flag-texts.ts'
import type { Form } from './form.ts'
import { maxSnapshotBytes } from './snapshot.ts'

/** What takes a client from one revision to another. */
export interface SnapshotChange {
  readonly fromRevision: number
  /** The flags that are not as they were, as they are now. */
  readonly view: NamespaceView
  readonly deletedFlagKeys: readonly string[]
}

/**
 * Below this many flags, a change is sent as such even where a snapshot would take no more: clients
 * had rather have it that way.
 */
const alwaysSmall = 256

/**
 * What has changed in a namespace since a revision, as of now.
 *
 * @returns `undefined` when that is not known any more, or so much that all of it had better be sent
 */
export function changeSince(
  copy: NamespaceState,
  fromRevision: number,
  flagKeys = copy.changedSince(fromRevision),
): SnapshotChange | undefined {
  if (flagKeys === undefined) return undefined
  if (flagKeys.size > Math.max(alwaysSmall, copy.flags.size / 2)) return undefined
  const deletedFlagKeys = Array.from(flagKeys).filter((key) => copy.flags.get(key) === undefined)
  return { fromRevision, view: copy.viewOf(flagKeys), deletedFlagKeys }
}

/**
 * A change as an event of a stream.
 *
 * @throws {AppError} `invalid_argument` when it gets too large
 */
export async function encodeSnapshotChange(
  { fromRevision, view, deletedFlagKeys }: SnapshotChange,
  form: Form,
  scheduler: EventLoopScheduler,
): Promise<Buffer> {
  await scheduler.yield()
  const texts = new FlagTexts(view.segments, form, maxSnapshotBytes)
  const flags: string[] = []
  for (const state of view.states) {
    flags.push(texts.toText(decodeState(state)))
    if (scheduler.shouldYield) await scheduler.yield()
  }
  const { revision } = view
  const data =
    `{"revision":${revision},"fromRevision":${fromRevision},"flags":[${flags.join()}],` +
    `"deletedFlagKeys":${JSON.stringify(deletedFlagKeys)}}`
  return encodeEvent({ id: String(revision), event: 'change', data })
}
