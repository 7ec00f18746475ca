/** The HTTP status of what a call was rejected with: 0 without an answer, nothing for other errors. */
export function statusOf(error: unknown): number | undefined {
  const status: unknown = error instanceof Error ? Reflect.get(error, 'status') : undefined
  return typeof status === 'number' ? status : undefined
}

/** Whether a call may do better later: the service is not available, or there was no answer. */
function isTransient(error: unknown, isFirst: boolean): boolean {
  const status = statusOf(error)
  if (status === 0) return !isFirst
  return status !== undefined && status >= 500 && status !== 501
}

/** Delays between attempts, in milliseconds: each is twice the one before. */
const firstDelayMs = 250
const maxDelayMs = 4000

export interface RetryOptions {
  readonly signal?: AbortSignal | undefined
  /** For all attempts. After it the last error is thrown. */
  readonly timeoutMs: number
  /**
   * Whether nothing has answered yet. No answer is then an error at once: the address may be wrong.
   * @default false
   */
  readonly isFirst?: boolean
}

/** How long the service may be unavailable, in milliseconds: it restarts in a few seconds. */
export const outageMs = 60_000

/** Repeats a call that is safe to repeat while the service restarts. */
export async function retried<T>(
  { signal, timeoutMs, isFirst = false }: RetryOptions,
  call: () => Promise<T>,
): Promise<T> {
  const end = performance.now() + timeoutMs
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
    try {
      return await call()
    } catch (error) {
      if (!isTransient(error, isFirst) || performance.now() + delayMs > end) throw error
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
