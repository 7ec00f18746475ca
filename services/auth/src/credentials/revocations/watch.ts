import { AppError } from '@svc/runtime'
import type { Hash } from '../records/token.ts'
import type { RecentRevocations } from './recent-revocations.ts'

const heartbeatMs = 1000

/** Maximum hashes of a message, of 32 bytes each. */
const batchSize = 1000

/** Maximum queue. A watcher further behind starts over with the last ten minutes. */
const maxWaiting = 250_000

/**
 * Yields the hashes of tokens as they begin to be refused, those of the last ten minutes first. An empty
 * batch every second is a heartbeat: this process itself follows the revocations.
 */
export async function* watchRevocations(
  revocations: RecentRevocations,
  isFollowing: () => boolean,
  signal: AbortSignal,
): AsyncGenerator<readonly Hash[]> {
  let wake = Promise.withResolvers<void>()
  const onAbort = () => wake.resolve()
  const waiting = revocations.refused()
  const stop = revocations.listen({
    onRefused(tokenHash) {
      waiting.push(tokenHash)
      wake.resolve()
    },
  })
  signal.addEventListener('abort', onAbort)
  try {
    for (let beatAt = performance.now(); !signal.aborted; ) {
      if (waiting.length > maxWaiting) {
        throw new AppError('resource_exhausted', 'too_slow', 'reads revocations too slowly')
      }
      if (waiting.length > 0) {
        yield waiting.splice(0, batchSize)
      } else if (performance.now() >= beatAt) {
        beatAt = performance.now() + heartbeatMs
        if (isFollowing()) yield []
      } else {
        wake = Promise.withResolvers()
        const timer = setTimeout(() => wake.resolve(), Math.max(0, beatAt - performance.now()))
        await wake.promise
        clearTimeout(timer)
      }
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    stop()
  }
}
