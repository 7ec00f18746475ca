import { createApi, SvcError } from '@svc/client/api'
import { QueryClient } from '@tanstack/react-query'
import { backOff } from './back-off.ts'
import { noteAnswer } from './connection.ts'

/** Where the interface is: empty, or the path that a proxy has before it. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/$/, '')
export const baseUrl = location.origin + basePath

const timeoutMs = 20_000

/** Tells the connection of every answer, and of none. */
const watchedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init)
    noteAnswer(response.status)
    if (response.status === 503)
      backOff.noteRefused(Date.now(), response.headers.get('retry-after'))
    return response
  } catch (error) {
    // What the page itself gave up says nothing of the server.
    if (init?.signal?.aborted !== true) noteAnswer(0)
    throw error
  }
}

/** Says that the page asks by itself: a session that idles ends all the same. */
export const backgroundHeader = 'x-svc-background'

/** A call later than this after the last key or press is one that the page makes by itself, in milliseconds. */
const askedMs = 30_000
let lastInputAt = performance.now()
for (const event of ['keydown', 'pointerdown', 'wheel']) {
  addEventListener(event, () => (lastInputAt = performance.now()), { capture: true, passive: true })
}

const backgroundFetch: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.set(backgroundHeader, 'true')
  return watchedFetch(input, { ...init, headers })
}

/** All calls, by the cookie of the session. They count as uses of it while the page is used. */
export const api = createApi({
  url: baseUrl,
  timeoutMs,
  fetch: (input, init) =>
    performance.now() - lastInputAt < askedMs
      ? watchedFetch(input, init)
      : backgroundFetch(input, init),
})

/** The calls that the page makes by itself, which do not count as uses of the session. */
export const backgroundApi = createApi({ url: baseUrl, timeoutMs, fetch: backgroundFetch })

/** What a read is tried again for: what may pass by itself. */
function maySucceedLater(error: Error): boolean {
  if (!(error instanceof SvcError)) return false
  // Where refusals follow each other, it is read anew when the connection is back, and not before.
  return error.status === 0 || (error.status === 503 && !backOff.isRaised(Date.now()))
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Live updates say what is new. To ask again at each look would count as use of the session.
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      networkMode: 'always',
      retry: (count, error) => count < 2 && maySucceedLater(error),
      retryDelay: (count) =>
        Math.max(500 * 2 ** count, backOff.holdMs(Date.now()) * (1 + Math.random() / 4)),
    },
    // A write is never sent twice by itself.
    mutations: { retry: false, networkMode: 'always' },
  },
})
