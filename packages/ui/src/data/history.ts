import type { Change, ListChangesRequest, ListEventsRequest } from '@svc/client/api'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from './api.ts'

/** Entries of a page. Changes come with their documents. */
const pageSize = 25
/** Objects of a change that are read at once. */
const itemsPageSize = 100

/** The changes of a namespace, the newest first, with the documents before and after. */
export function changesQuery(request: ListChangesRequest) {
  return queryOptions({
    queryKey: ['changes', request.namespaceKey, request],
    queryFn: ({ signal }) =>
      api.changes.list({ ...request, documents: true, limit: pageSize }, { signal }),
    placeholderData: keepPreviousData,
  })
}

/** The objects of a change that its list leaves out. */
export function moreItemsQuery(namespaceKey: string, { revision, nextPageToken }: Change) {
  return infiniteQueryOptions({
    queryKey: ['changeItems', namespaceKey, revision],
    queryFn: ({ pageParam, signal }) =>
      api.changes.get(
        { namespaceKey, revision: String(revision), limit: itemsPageSize, pageToken: pageParam },
        { signal },
      ),
    initialPageParam: nextPageToken,
    getNextPageParam: (page) => page.nextPageToken || undefined,
    enabled: false,
    // A change stays as it is.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** What happened to tokens, logins and sessions, the newest first. */
export function eventsQuery(request: ListEventsRequest) {
  return queryOptions({
    queryKey: ['events', request],
    queryFn: ({ signal }) => api.events.list({ ...request, limit: pageSize }, { signal }),
    placeholderData: keepPreviousData,
  })
}

/** One change with its documents, such as one that a link leads to. */
export function changeQuery(namespaceKey: string, revision: number) {
  return queryOptions({
    queryKey: ['change', namespaceKey, revision],
    queryFn: ({ signal }) =>
      api.changes.get({ namespaceKey, revision: String(revision), limit: 20 }, { signal }),
  })
}

/** One event, such as one that a link leads to. */
export function eventQuery(number: number) {
  return queryOptions({
    queryKey: ['event', number],
    queryFn: ({ signal }) => api.events.get({ number: String(number) }, { signal }),
  })
}
