import { type Flag, type ListFlagsRequest, type Session, SvcError } from '@svc/client/api'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from './api.ts'

/** Who looks at the page. `open`: the service asks for no credential. */
export type Viewer =
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'open' }
  | { readonly kind: 'none' }

export const viewerQuery = queryOptions({
  queryKey: ['viewer'],
  async queryFn({ signal }): Promise<Viewer> {
    try {
      return { kind: 'session', session: await api.sessions.get({}, { signal }) }
    } catch (error) {
      if (!isUnauthenticated(error)) throw error
    }
    try {
      await api.namespaces.list({ limit: 1 }, { signal })
      return { kind: 'open' }
    } catch (error) {
      if (!isUnauthenticated(error)) throw error
      return { kind: 'none' }
    }
  },
  staleTime: 60_000,
})

function isUnauthenticated(error: unknown): boolean {
  return error instanceof SvcError && error.status === 401
}

export const methodsQuery = queryOptions({
  queryKey: ['methods'],
  queryFn: ({ signal }) => api.methods.list({}, { signal }),
  staleTime: 60_000,
})

export const infoQuery = queryOptions({
  queryKey: ['info'],
  queryFn: ({ signal }) => api.metadata.getInfo({}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

export const namespacesQuery = queryOptions({
  queryKey: ['namespaces'],
  queryFn: ({ signal }) => api.namespaces.list({ limit: 1000 }, { signal }),
})

export function flagsQuery(request: ListFlagsRequest) {
  return queryOptions({
    queryKey: ['flags', request.namespaceKey, request],
    queryFn: ({ signal }) => api.flags.list(request, { signal }),
    placeholderData: keepPreviousData,
  })
}

/** The tags that stand in the metadata of a flag. */
export function tagsOf({ metadata }: Flag): readonly string[] {
  const tags = metadata?.tags
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : []
}
