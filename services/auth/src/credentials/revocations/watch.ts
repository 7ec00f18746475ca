import { AppError } from '@svc/runtime'
import type { RecentRevocations } from './recent-revocations.ts'

const heartbeatMs = 1000

/** 32 bytes each: small messages that come at once. */
const batchSize = 1000

/** A watcher so far behind is better off beginning anew, with the last ten minutes. */
const maxWaiting = 250_000

/**
 * The hashes of tokens as they come to be refused, those of the last ten minutes first. Then every
 * second, as long as this process is itself following the revocations, an empty batch, so that a
 * watcher can tell silence from not being told.
 */
export async function* watchRevocations(
  revocations: RecentRevocations,
  isFollowing: () => boolean,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  let wake = () => {}
  const waiting = revocations.refused()
  const stop = revocations.listen({
    onRefused(tokenHash) {
      waiting.push(tokenHash)
      wake()
    },
  })
  const onAbort = () => wake()
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
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.max(0, beatAt - performance.now()))
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    stop()
  }
}
