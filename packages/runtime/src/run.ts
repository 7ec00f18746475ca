import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from './logging.ts'

/** Something that was started and can be ended; ending it twice is harmless. */
export interface Running {
  close(): Promise<void>
  /**
   * Serves for so long while its callers find another replica, which it asks them to. Comes before the
   * close, if it comes at all.
   */
  drain?(drainMs: number): Promise<void>
}

/**
 * Repeats `work`, waiting `intervalMs` after each run, until `signal` aborts.
 * A run that fails is logged; the next one happens all the same.
 */
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

/** The same until it is closed, which waits for a run under way. */
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
 * Starts something of several parts, which are noted as they start. They are closed in reverse:
 * all of them when the whole is closed, those there are when a later one does not start. A drain is one
 * of all parts at the same time.
 */
export async function startParts<T>(
  start: (note: (...parts: Running[]) => void) => Promise<T>,
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

/**
 * How long to wait before the nth try (from 0) at something that failed: 50 ms doubling to a
 * second, with jitter so that many processes do not come back in step.
 */
export function backoffMs(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 5), 1000) * (0.75 + Math.random() * 0.5)
}
