import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, type Logger } from '@svc/runtime'

export interface RetryOptions {
  readonly log: Logger
  /**
   * Maximum time of retries, in milliseconds: for the server, and for another process that migrates.
   * @default 60000, the time of a server that starts and recovers
   */
  readonly timeoutMs?: number | undefined
  /** Called with the reason of each failed attempt, and with `undefined` when one has succeeded after it. */
  readonly onWait?: ((reason: string | undefined) => void) | undefined
}

/** Pause between retries, in milliseconds: short for a person who watches the start. */
const pauseMs = 100

/** Retries what fails as `unavailable`, until it succeeds, fails otherwise or the time is up. */
export async function retryWhileUnavailable<T>(
  { log, timeoutMs = 60_000, onWait }: RetryOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (let failures = 0; ; failures += 1) {
    try {
      const result = await attempt()
      if (failures > 0) onWait?.(undefined)
      return result
    } catch (error) {
      const mayPass = error instanceof AppError && error.code === 'unavailable'
      if (!mayPass) throw error
      onWait?.(error.message)
      if (performance.now() > deadline) throw error
      if (failures === 0) log.warn(`${error.message} Trying for ${timeoutMs / 1000} s.`)
    }
    await sleep(pauseMs)
  }
}
