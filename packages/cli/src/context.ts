import { type Api, createApi } from '@svc/client/api'
import type { Connection } from './connection.ts'
import type { Output } from './output.ts'
import { Progress } from './progress.ts'
import { Prompts } from './prompts.ts'
import type { Terminal } from './terminal.ts'

/** What a command has to work with. */
export interface Context extends Connection {
  /** The management API, with the token of the connection. Nothing is sent before it is called. */
  readonly api: Api
  readonly output: Output
  readonly progress: Progress
  readonly prompts: Prompts
  readonly terminal: Terminal
  /** Aborted by Ctrl-C: hand it to every call that may take long, and to every wait. */
  readonly signal: AbortSignal
  /** `--comment`: hand it to every write as `comment`. */
  readonly comment: string | undefined
}

export function createContext(
  terminal: Terminal,
  connection: Connection,
  output: Output,
  comment: string | undefined,
): Context {
  const { url, token } = connection
  return {
    ...connection,
    api: createApi({ url, token }),
    output,
    progress: new Progress(terminal, output.isQuiet),
    prompts: new Prompts(terminal),
    terminal,
    signal: terminal.signal,
    comment,
  }
}
