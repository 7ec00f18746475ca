import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from './logging.ts'

/** A started part of a process. Closing it twice is harmless. */
export interface Running {
  close(): Promise<void>
  /** Asks callers to use another replica, and serves for `drainMs` meanwhile. Called before `close`. */
  drain?(drainMs: number): Promise<void>
}

/** Repeats `work` until `signal` aborts, with a pause after each run. Logs a run that fails. */
export async function every(
  intervalMs: number,
  signal: AbortSignal,
  log: Logger,
  work: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await work().catch((error: unknown) => {
      if (!signal.aborted) log.error({ err: error }, 'background work failed')
    })
    await sleep(intervalMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** Repeats `work` until it is closed. Closing waits for a run in progress. */
export function startEvery(
  intervalMs: number,
  log: Logger,
  work: (signal: AbortSignal) => Promise<void>,
): Running {
  const closing = new AbortController()
  const repeating = every(intervalMs, closing.signal, log, () => work(closing.signal))
  return {
    async close() {
      closing.abort()
      await repeating
    },
  }
}

/**
 * Starts a whole of several parts. `start` tracks each part as it starts.
 * The parts are closed in reverse order: with the whole, or when a later part fails to start.
 */
export async function startAll<T>(
  start: (track: (...parts: Running[]) => void) => Promise<T>,
): Promise<T & Running> {
  const parts: Running[] = []
  const close = async () => {
    for (const part of parts.splice(0).reverse()) await part.close()
  }
  const drain = async (drainMs: number) => {
    await Promise.all(parts.map((part) => part.drain?.(drainMs)))
  }
  try {
    return { ...(await start((...started) => parts.push(...started))), drain, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Exponential backoff before retry `attempt` (from 0): 50 ms doubling to a second, with jitter. */
export function backoffMs(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 5), 1000) * (0.75 + Math.random() * 0.5)
}
