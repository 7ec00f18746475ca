import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@svc/runtime'

/** Retries on an answer of `unavailable`, a little later. */
export async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unavailable') throw error
      await sleep(Math.random() * 100)
    }
  }
}
