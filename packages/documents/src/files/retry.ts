import { statusOf } from './apply-error.ts'

/** Whether a call may do better later: there was no answer, or the service is not available. */
function isTransient(error: unknown): boolean {
  const status = statusOf(error)
  return status === 0 || (status !== undefined && status >= 500 && status !== 501)
}

/** Delays between attempts, in milliseconds: each is twice the one before. */
const firstDelayMs = 250
const maxDelayMs = 4000

export interface RetryOptions {
  readonly signal?: AbortSignal | undefined
  /** For all attempts. After it the last error is thrown. */
  readonly timeoutMs: number
}

/** Repeats a call that is safe to repeat while the service restarts. */
export async function retried<T>(
  { signal, timeoutMs }: RetryOptions,
  call: () => Promise<T>,
): Promise<T> {
  const end = performance.now() + timeoutMs
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
    try {
      return await call()
    } catch (error) {
      if (!isTransient(error) || performance.now() + delayMs > end) throw error
      await delay(delayMs, signal)
    }
  }
}

/** @throws the reason of the signal */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
