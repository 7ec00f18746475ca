import type { EventLoopScheduler } from '@svc/runtime'
import type { NamespaceState, NamespaceView } from '../../replica/namespace-state.ts'
import type { Frame } from '../../streams/frame.ts'
import { toFlagListText } from './flag-list-text.ts'
import type { Form } from './form.ts'
import { toFrame } from './sending.ts'

/** What takes a client from one revision to another. */
export interface SnapshotChange {
  readonly fromRevision: number
  /** The flags that differ, as they are now. */
  readonly view: NamespaceView
  readonly deletedFlagKeys: readonly string[]
}

/** Below this number of flags a change is sent as such, even where a snapshot would be no larger. */
const alwaysSmall = 256

/**
 * What has changed in a namespace since a revision, as of now.
 *
 * @returns `undefined` when that is not known any more, or takes more than half of the flags
 */
export function changeSince(
  state: NamespaceState,
  fromRevision: number,
): SnapshotChange | undefined {
  const flagKeys = state.changedSince(fromRevision)
  if (flagKeys === undefined) return undefined
  if (flagKeys.size > Math.max(alwaysSmall, state.flags.size / 2)) return undefined
  const deletedFlagKeys = Array.from(flagKeys).filter((key) => state.flags.get(key) === undefined)
  return { fromRevision, view: state.viewOf(flagKeys), deletedFlagKeys }
}

/**
 * A change as an event of a stream.
 *
 * @throws {AppError} `invalid_argument` when it is too large
 */
export async function encodeSnapshotChange(
  { fromRevision, view, deletedFlagKeys }: SnapshotChange,
  form: Form,
  scheduler: EventLoopScheduler,
): Promise<Frame> {
  const { revision } = view
  const around = [
    `{"revision":${revision},"fromRevision":${fromRevision},"flags":[`,
    `],"deletedFlagKeys":${JSON.stringify(deletedFlagKeys)}}`,
  ] as const
  const text = await toFlagListText(view, form, around, scheduler)
  return toFrame(text, { id: String(revision), event: 'change' }, scheduler)
}
