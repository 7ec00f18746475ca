import type { Readable, Writable } from 'node:stream'

/** What the process was started with. Tests give their own. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  /** Aborted by Ctrl-C and by SIGTERM. */
  readonly signal: AbortSignal
  /** Whether stdout was closed by its reader; left out: it was not. */
  readonly isReaderGone?: () => boolean
}
