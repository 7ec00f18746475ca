import { failureOf } from './errors.ts'

/** Between looks, and how long it is looked, in milliseconds. */
const everyMs = 3000
const limitMs = 600_000

/**
 * Reads what has become of a write whose answer did not come, as soon as the service can be reached. The
 * write is not sent again.
 *
 * @throws what the service answers when it refuses the read, and the last failure after ten minutes
 */
export async function readWhenReachable<T>(read: () => Promise<T>): Promise<T> {
  const endsAt = performance.now() + limitMs
  while (true) {
    try {
      return await read()
    } catch (error) {
      const isReachable = failureOf(error).kind !== 'unreachable'
      if (isReachable || performance.now() > endsAt) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
