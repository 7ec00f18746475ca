import { createApi, SvcError } from '@svc/client/api'
import { QueryClient } from '@tanstack/react-query'

/** Where the interface is: `/`, or the path that a proxy has before it. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/$/, '')

/** All calls, by the cookie of the session. */
export const api = createApi({ url: location.origin + basePath, timeoutMs: 20_000 })

/** What a read is tried again for: what may pass by itself. */
function maySucceedLater(error: Error): boolean {
  return error instanceof SvcError && (error.status === 0 || error.status === 503)
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 2 && maySucceedLater(error),
      retryDelay: (count) => 500 * 2 ** count,
    },
    // A write is never sent twice by itself.
    mutations: { retry: false },
  },
})
