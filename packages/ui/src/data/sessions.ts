import type { Authentication } from '@svc/client/api'
import { queryOptions } from '@tanstack/react-query'
import { api } from './api.ts'
import { readPages } from './read-pages.ts'

/** The sessions of the person who looks at the page. */
export const ownSessionsQuery = queryOptions({
  queryKey: ['sessions', 'own'],
  async queryFn({ signal }) {
    const { items } = await readPages(async (limit, pageToken) => {
      const page = await api.sessions.listOwn({ limit, pageToken }, { signal })
      return { items: page.sessions, nextPageToken: page.nextPageToken }
    })
    return items
  },
  staleTime: 15_000,
})

/** All sessions, or those of one person. */
export function sessionsQuery(issuer = '', subject = '') {
  return queryOptions({
    queryKey: ['sessions', 'all', issuer, subject],
    queryFn: ({ signal }) =>
      readPages(async (limit, pageToken) => {
        const request = { issuer, subject, limit, pageToken }
        const page = await api.sessions.list(request, { signal })
        return { items: page.sessions, nextPageToken: page.nextPageToken }
      }),
    staleTime: 15_000,
  })
}

/** The name of the static token that a session was begun with; nothing for other sessions. */
export function tokenNameOf({ method, metadata }: Authentication): string | undefined {
  return method === 'METHOD_TOKEN' ? metadata['io.svc.auth.token.name'] : undefined
}

/** The id of the static token that a session was begun with, as the log has it; empty when it has not. */
export function signInTokenQuery(id: string) {
  return queryOptions({
    queryKey: ['sign-in-token', id],
    async queryFn({ signal }): Promise<string> {
      const request = { type: 'login.succeeded', subjectId: id, limit: 1 }
      const { events } = await api.events.list(request, { signal })
      return events[0]?.actorId ?? ''
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}
