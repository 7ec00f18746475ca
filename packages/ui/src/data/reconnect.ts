import { backgroundApi, queryClient } from './api.ts'
import { backOff } from './back-off.ts'
import { connection } from './connection.ts'
import { pause } from './pause.ts'

let timer: ReturnType<typeof setTimeout> | undefined
let wasOnline = true
let reading = new AbortController()

/**
 * Looks for the server while it does not answer, and reads anew what is shown once it does. A page that is not seen
 * does neither until it is.
 */
export function followConnection(): void {
  connection.subscribe(() => {
    const { isOnline } = connection.get()
    if (isOnline === wasOnline) return
    wasOnline = isOnline
    reading.abort()
    if (isOnline) {
      clearTimeout(timer)
      timer = undefined
      backOff.noteReturn(Date.now())
      readAnew()
    } else {
      backOff.noteBreak(Date.now())
      wait()
    }
  })
  addEventListener('online', () => {
    if (!document.hidden) void look()
  })
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && !connection.get().isOnline && timer === undefined) void lookAgain()
  })
}

/** Looks now; for a button that says so. */
export async function look(): Promise<void> {
  // Through auth and the resource service. What it answers, and whether, the connection is told.
  await backgroundApi.namespaces.list({ limit: 1 }, { timeoutMs: 5000 }).catch(() => {})
}

function wait(): void {
  clearTimeout(timer)
  timer = setTimeout(lookAgain, backOff.waitMs(Date.now(), Math.random()))
}

async function lookAgain(): Promise<void> {
  timer = undefined
  if (document.hidden) return
  await look()
  if (connection.get().isOnline || timer !== undefined) return
  backOff.raise()
  wait()
}

/** Reads what is shown, until the next break. */
function readAnew(): void {
  reading = new AbortController()
  void queryClient.invalidateQueries({ refetchType: 'none' })
  readStale(reading.signal).catch(() => {})
}

/** One query after the other, those first that have nothing to show. */
async function readStale(signal: AbortSignal): Promise<void> {
  await pause(backOff.holdMs(Date.now()) * (1 + Math.random() / 4), signal)
  const stale = queryClient.getQueryCache().findAll({ type: 'active' })
  const failed = stale.filter(({ state }) => state.status === 'error')
  for (const { queryKey } of new Set([...failed, ...stale])) {
    await untilSeen(signal)
    if (signal.aborted) return
    await queryClient.refetchQueries(
      { queryKey, exact: true, type: 'active', predicate: ({ state }) => state.isInvalidated },
      { cancelRefetch: false },
    )
  }
}

function untilSeen(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const settled = new AbortController()
    const check = () => {
      if (document.hidden && !signal.aborted) return
      settled.abort()
      resolve()
    }
    document.addEventListener('visibilitychange', check, { signal: settled.signal })
    signal.addEventListener('abort', check, { signal: settled.signal })
    check()
  })
}
