import type { LoggedChanges } from '../../replica/change-log.ts'
import type { NamespaceState, NamespaceView } from '../../replica/namespace-state.ts'

/** The piece that ends a line. */
export const lineBreak = '\n'

/**
 * Pieces of a text, the same each time. They are UTF-8 with a character for each byte, and have no line break
 * in them: {@link lineBreak} is a piece.
 */
export type Pieces = () => Iterable<string>

/** What takes clients of a namespace from one revision to a later one. */
export interface CopyChange extends LoggedChanges {
  readonly fromRevision: number
  /** The flags that changed, as far as they exist, and all segments. */
  readonly view: NamespaceView
}

/** One of the ways in which a namespace is written for clients that keep a copy of it. */
export interface Form {
  /** Unlike that of any other form. */
  readonly name: string
  /** The event that replaces whatever a client has. */
  readonly wholeEvent: string
  /** Names of the request headers that decide on it. */
  readonly varyOn: readonly string[]
  /** The entity tag of the whole, as it is sent: another one for each revision, the same on every gateway. */
  etagOf(namespaceKey: string, revision: number): string
  /** The whole of a namespace that does not exist. */
  emptyOf(namespaceKey: string, revision: number): string
  wholeOf(view: NamespaceView): Pieces
  /** What of a namespace is written otherwise than at a revision, unless that is too long ago to be known. */
  changesSince(state: NamespaceState, revision: number): LoggedChanges | undefined
  changeOf(change: CopyChange): Pieces
}
