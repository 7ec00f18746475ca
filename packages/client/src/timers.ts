/** The longest that timers take, in milliseconds: 24 days. Longer ones are over at once. */
export const maxTimeoutMs = 2 ** 31 - 1

/** Lets the process end while only this timer is left; browsers have no such thing. */
export function unref(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) {
    const { unref } = timer
    if (typeof unref === 'function') unref.call(timer)
  }
}

/** Waits, unless the signal ends it: then it rejects with the reason of that. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end)
      resolve()
    }, ms)
    unref(timer)
    signal.addEventListener('abort', end, { once: true })
  })
}
