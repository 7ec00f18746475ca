import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Test } from './listen.ts'
import { quantile } from './load.ts'

/** Requests at a constant rate, whatever becomes of those before. */
export interface GeneratedLoad {
  readonly port: number
  readonly perSecond: number
  readonly forMs: number
  /** Kept open, each with one request at a time. A request that finds none free is not sent, and counted. */
  readonly connections: number
  /** Sent in turn, as `requestBytes` makes them, a character a byte. */
  readonly requests: readonly string[]
  /** Whether a connection whose request is refused is not used for as long as `Retry-After` says. */
  readonly heedsRetryAfter?: boolean
}

export interface LoadReport {
  readonly sent: number
  /** Requests that found no free connection. */
  readonly unsent: number
  /** Sent, and not answered within ten seconds, or before their connection ended. */
  readonly unanswered: number
  /** By status. */
  readonly answers: Readonly<
    Record<
      string,
      {
        readonly tookMs: readonly number[]
        readonly withoutRetryAfter: number
        /** How the body of the first one begins. */
        readonly first: string
      }
    >
  >
  /** Answers with 200, in each second from the start. */
  readonly goodPerSecond: readonly number[]
  /** Requests of each second that were answered with 200 within a second. */
  readonly promptPerSecond: readonly number[]
}

interface Comments {
  comment(line: string): void
}

const program = fileURLToPath(new URL('load.process.js', import.meta.url))

/** A load from a process of its own, which takes nothing of the time of this one. */
export async function generateLoad(t: Test & Comments, load: GeneratedLoad): Promise<LoadReport> {
  const child = fork(program, { serialization: 'advanced' })
  prefer(child, (line) => t.comment(line))
  t.teardown(async () => void child.kill('SIGKILL'))
  child.send(load)
  const signal = AbortSignal.timeout(load.forMs + 30_000)
  const [report] = (await once(child, 'message', { signal })) as [LoadReport]
  return report
}

/**
 * Lets a client have its core whenever it has something to do, as on a machine of its own: what it measures is
 * when an answer arrived, and not when the services beside it let it look.
 */
function prefer({ pid = 0 }: ChildProcess, say: (line: string) => void): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGHEST)
  } catch (error) {
    say(`!! The client waits for its turn, and counts that: its priority cannot be set: ${error}`)
  }
}

/** @returns how long the answers with these statuses took, in milliseconds */
export function tookOf(report: LoadReport, ...statuses: readonly string[]) {
  const tookMs = statuses.flatMap((status) => report.answers[status]?.tookMs ?? [])
  return {
    count: tookMs.length,
    p50: quantile(tookMs, 0.5),
    p99: quantile(tookMs, 0.99),
    max: quantile(tookMs, 1),
  }
}
