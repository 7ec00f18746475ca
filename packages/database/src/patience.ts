import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, type Logger } from '@svc/runtime'

export interface Patience {
  /**
   * How long to wait at start for the server, and for others that migrate, in milliseconds.
   * @default 60000, as long as a server takes that starts at the same time and has to recover
   */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  readonly log?: Logger
}

/** Tries until it succeeds, fails otherwise than as `unavailable`, or the time is up. */
export async function patiently<T>(patience: Patience, attempt: () => Promise<T>): Promise<T> {
  const { timeoutMs = 60_000, signal, log } = patience
  const deadline = performance.now() + timeoutMs
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt()
    } catch (error) {
      const passes = error instanceof AppError && error.code === 'unavailable'
      if (!passes || performance.now() > deadline) throw error
      if (failures === 0) log?.warn(`${error.message} Trying for ${timeoutMs / 1000} s.`)
    }
    await sleep(intervalMs, undefined, { signal })
  }
}

/** Soon enough for a person who watches the start, and a rest for a server that is starting. */
const intervalMs = 100
