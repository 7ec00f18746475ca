import { SvcError } from '@svc/client/api'
import { queryOptions } from '@tanstack/react-query'
import { backgroundApi, backgroundHeader, baseUrl } from './api.ts'

/** How often the page asks while it is seen, and for how long it waits, in milliseconds. */
const everyMs = 5000
const timeoutMs = 5000

/** A part that a gateway depends on. */
export interface ReadyPart {
  /** `waiting`: nothing came yet; `stale`: nothing came just now. */
  readonly state: 'waiting' | 'current' | 'stale'
  readonly ageSeconds?: number
}

/** What the gateway that answers says of itself. */
export interface Ready {
  readonly status: 'ready' | 'draining' | 'not ready'
  readonly parts: { readonly flags: ReadyPart; readonly auth: ReadyPart }
}

function isReady(answer: unknown): answer is Ready {
  return typeof answer === 'object' && answer !== null && 'status' in answer && 'parts' in answer
}

/** Asked again and again, but not where it is refused. */
const live = {
  refetchInterval: ({ state }: { readonly state: { readonly error: unknown } }) =>
    state.error instanceof SvcError && state.error.status === 403 ? false : everyMs,
  staleTime: 0,
  retry: false,
} as const

export const readyQuery = queryOptions({
  queryKey: ['ready'],
  async queryFn({ signal }): Promise<Ready> {
    const response = await fetch(`${baseUrl}/readyz`, {
      headers: { accept: 'application/json', [backgroundHeader]: 'true' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    // It answers 503 with the same body while it is not ready. A proxy may not pass it on.
    const answer: unknown = await response.json()
    if (!isReady(answer)) throw new Error(`${baseUrl}/readyz answers ${response.status}`)
    return answer
  },
  ...live,
})

export const gatewaysQuery = queryOptions({
  queryKey: ['gateways'],
  queryFn: ({ signal }) => backgroundApi.gateways.list({}, { signal, timeoutMs }),
  ...live,
})

/** Which gateways have the present revision of a namespace. */
export function propagationQuery(namespaceKey: string) {
  return queryOptions({
    queryKey: ['propagation', namespaceKey],
    queryFn: ({ signal }) =>
      backgroundApi.gateways.getPropagation({ namespaceKey }, { signal, timeoutMs }),
    ...live,
  })
}

/** The last change of a namespace; nothing before the first one. */
export function newestChangeQuery(namespaceKey: string) {
  return queryOptions({
    queryKey: ['newestChange', namespaceKey],
    async queryFn({ signal }) {
      const { changes } = await backgroundApi.changes.list(
        { namespaceKey, limit: 1 },
        { signal, timeoutMs },
      )
      return changes[0] ?? null
    },
    ...live,
  })
}
