import { Readable, Writable } from 'node:stream'
import { run } from '@svc/cli/run'

/** What one run of `svc` printed and ended with. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface SvcOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** Ends it, as Ctrl-C does. */
  readonly signal?: AbortSignal
  /** Is given all that was printed up to then, each time something is. */
  readonly onOutput?: (stdout: string) => void
}

/** Runs `svc` in this process, as a pipeline does: without a terminal, and with no profile. */
export type Svc = (argv: readonly string[], options?: SvcOptions) => Promise<Ended>

export function svcFor({ url, token }: { readonly url: string; readonly token: string }): Svc {
  return async (argv, { env, stdin, signal, onOutput } = {}) => {
    const stdout = collect(onOutput)
    const stderr = collect()
    const code = await run(argv, {
      env: { XDG_CONFIG_HOME: '/nonexistent', SVC_URL: url, SVC_TOKEN: token, ...env },
      stdin: Readable.from(stdin === undefined ? [] : [stdin]),
      stdout: stdout.stream,
      stderr: stderr.stream,
      signal: signal ?? new AbortController().signal,
    })
    return { code, stdout: stdout.read(), stderr: stderr.read() }
  }
}

function collect(onOutput?: (text: string) => void) {
  let text = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk)
      onOutput?.(text)
      done()
    },
  })
  return { stream, read: () => text }
}
