import { setTimeout as sleep } from 'node:timers/promises'
import { SvcError } from '@svc/client/api'
import type { Context } from './context.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'

/** The longest time between two attempts while the service is unavailable. */
const maxDelayMs = 30_000

/**
 * Repeats `work` until it is done. While the service is unavailable it is tried again, later each time, which is
 * said once.
 *
 * @param work returns whether it is done
 * @throws {unknown} what `work` throws otherwise, and the reason of Ctrl-C
 */
export async function follow(
  { output, signal }: Pick<Context, 'output' | 'signal'>,
  intervalMs: number,
  work: () => Promise<boolean>,
): Promise<void> {
  let delayMs = intervalMs
  while (true) {
    try {
      if (await work()) return
      delayMs = intervalMs
    } catch (error) {
      const isUnavailable = error instanceof SvcError && exitCodeOf(error) === exitCodes.unavailable
      if (!isUnavailable) throw error
      if (delayMs === intervalMs) output.warn(`${error.message}: trying again`)
      delayMs = Math.min(2 * delayMs, maxDelayMs)
    }
    await sleep(delayMs, undefined, { signal })
  }
}
