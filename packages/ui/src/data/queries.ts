import {
  type Flag,
  type FlagList,
  type ListFlagsRequest,
  type ListSegmentsRequest,
  type Namespace,
  type Session,
  SvcError,
} from '@svc/client/api'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, queryClient } from './api.ts'
import { noteSignedIn } from './connection.ts'
import { noteOwner } from './owner.ts'

/** Who looks at the page. `open`: the service asks for no credential. */
export type Viewer =
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'open' }
  | { readonly kind: 'none' }

export const viewerQuery = queryOptions({
  queryKey: ['viewer'],
  async queryFn({ signal }): Promise<Viewer> {
    try {
      const session = await api.sessions.get({}, { signal })
      noteSignedIn(true)
      noteOwner(session)
      return { kind: 'session', session }
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
  staleTime: Number.POSITIVE_INFINITY,
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

/** Namespaces that are read. More are found by their URL alone. */
export const maxNamespaces = 1000

/** All namespaces that the viewer may see, with what they hold. One bound to a namespace sees that one. */
export const namespacesQuery = queryOptions({
  queryKey: ['namespaces'],
  async queryFn({ signal }): Promise<readonly Namespace[]> {
    const viewer = await queryClient.ensureQueryData(viewerQuery)
    const only = viewer.kind === 'session' ? viewer.session.namespaceKey : ''
    if (only !== '') return [await api.namespaces.get({ key: only, view: 'SUMMARY' }, { signal })]
    const { namespaces } = await api.namespaces.list(
      { limit: maxNamespaces, view: 'SUMMARY' },
      { signal },
    )
    return namespaces
  },
  staleTime: 30_000,
})

/**
 * Keys of queries: `[what, namespace, …]`, so that all that a change in a namespace makes old is found by
 * {@link refreshNamespace}.
 */
export function flagsQuery(request: ListFlagsRequest & { readonly namespaceKey: string }) {
  return queryOptions({
    queryKey: ['flags', request.namespaceKey, request],
    queryFn: ({ signal }) => api.flags.list({ ...request, view: 'SUMMARY' }, { signal }),
    placeholderData: keepPreviousData,
  })
}

export function tagsQuery(namespaceKey: string) {
  return queryOptions({
    queryKey: ['tags', namespaceKey],
    queryFn: ({ signal }) => api.flags.listTags({ namespaceKey }, { signal }),
    staleTime: 30_000,
  })
}

/** A flag with everything in it, and the tag for `If-Match`. */
export function flagDocumentQuery(namespaceKey: string, key: string) {
  return queryOptions({
    queryKey: ['flag', namespaceKey, key],
    queryFn: ({ signal }) =>
      withEtag((options) => api.documents.getFlag({ namespaceKey, key }, options), signal),
  })
}

export function segmentDocumentQuery(namespaceKey: string, key: string) {
  return queryOptions({
    queryKey: ['segment', namespaceKey, key],
    queryFn: ({ signal }) =>
      withEtag((options) => api.documents.getSegment({ namespaceKey, key }, options), signal),
  })
}

/** The segments of a namespace, each with who uses it. */
export function segmentsQuery(namespaceKey: string) {
  return queryOptions({
    queryKey: ['segments', namespaceKey],
    queryFn: ({ signal }) =>
      api.segments.list({ namespaceKey, limit: 1000, sort: 'name', view: 'SUMMARY' }, { signal }),
    staleTime: 30_000,
  })
}

/** A page of the list of segments. */
export function segmentsPageQuery(
  request: ListSegmentsRequest & { readonly namespaceKey: string },
) {
  return queryOptions({
    queryKey: ['segments', request.namespaceKey, request],
    queryFn: ({ signal }) => api.segments.list({ ...request, view: 'SUMMARY' }, { signal }),
    placeholderData: keepPreviousData,
  })
}

export interface Tagged<T> {
  readonly value: T
  /** For `If-Match`. */
  readonly etag: string | undefined
}

async function withEtag<T>(
  call: (options: {
    readonly signal: AbortSignal
    readonly onAnswer: (info: { readonly etag: string | undefined }) => void
  }) => Promise<T>,
  signal: AbortSignal,
): Promise<Tagged<T>> {
  let etag: string | undefined
  const value = await call({
    signal,
    onAnswer: (info) => {
      etag = info.etag
    },
  })
  return { value, etag }
}

/**
 * Reads anew whatever is shown of a namespace.
 *
 * @param keepsLists lists are read anew only when they are opened again
 */
export async function refreshNamespace(namespaceKey: string, keepsLists = false): Promise<void> {
  const isList = (what: unknown) => what === 'flags' || what === 'segments'
  await Promise.all([
    queryClient.invalidateQueries({
      predicate: ({ queryKey: [what, of] }) =>
        what === 'namespaces' || (of === namespaceKey && !(keepsLists && isList(what))),
    }),
    queryClient.invalidateQueries({
      predicate: ({ queryKey: [what, of] }) => of === namespaceKey && isList(what),
      refetchType: 'none',
    }),
  ])
}

/** The line of a flag in a list, as it is now. */
export async function readFlagLine(namespaceKey: string, key: string): Promise<Flag | undefined> {
  const { flags } = await api.flags.list({
    namespaceKey,
    q: key,
    sort: 'key',
    limit: 100,
    view: 'SUMMARY',
  })
  return flags.find((flag) => flag.key === key)
}

/** Puts it in the place of the one that lists show. */
export function showFlagLine(namespaceKey: string, line: Pick<Flag, 'key'> & Partial<Flag>): void {
  queryClient.setQueriesData<FlagList>({ queryKey: ['flags', namespaceKey] }, (list) =>
    list === undefined
      ? list
      : {
          ...list,
          flags: list.flags.map((flag) => (flag.key === line.key ? { ...flag, ...line } : flag)),
        },
  )
}

/** The tags that stand in the metadata of a flag. */
export function tagsOf({ metadata }: Pick<Flag, 'metadata'>): readonly string[] {
  const tags = metadata?.tags
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : []
}
