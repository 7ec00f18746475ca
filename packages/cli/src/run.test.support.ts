import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { run } from './run.ts'
import type { Terminal } from './terminal.ts'

/** What one run printed and ended with. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly signal?: AbortSignal
  /** Whether stdout and stderr are a terminal. */
  readonly isTerminal?: boolean
}

/** A terminal of a test, and what is written to it. */
export function openTerminal(options: RunOptions = {}): {
  readonly terminal: Terminal
  readonly stdout: () => string
  readonly stderr: () => string
} {
  const stdout = collect(options.isTerminal)
  const stderr = collect(options.isTerminal)
  const terminal = {
    // No profile of the machine that runs the test.
    env: { XDG_CONFIG_HOME: '/nonexistent', ...options.env },
    stdin: Readable.from(options.stdin === undefined ? [] : [options.stdin]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    signal: options.signal ?? new AbortController().signal,
  }
  return { terminal, stdout: stdout.read, stderr: stderr.read }
}

/** Runs one command line in this process. */
export async function runLine(argv: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { terminal, stdout, stderr } = openTerminal(options)
  const code = await run(argv, terminal)
  return { code, stdout: stdout(), stderr: stderr() }
}

function collect(isTTY = false) {
  const chunks: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk))
      done()
    },
  })
  return { stream: Object.assign(stream, { isTTY, columns: 80 }), read: () => chunks.join('') }
}

/** A request that the service of a test was sent. */
export interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
}

interface Answer {
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A service that answers as `answer` says, and what it was sent. */
export async function serve(t: Test, answer: (sent: Sent) => Answer | Promise<Answer>) {
  const requests: Sent[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const body = await text(request)
    const sent = { method, path, headers, body: body === '' ? undefined : JSON.parse(body) }
    requests.push(sent)
    const { status = 200, body: answered = {}, headers: more } = await answer(sent)
    response.writeHead(status, { 'content-type': 'application/json', ...more })
    response.end(JSON.stringify(answered))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}
