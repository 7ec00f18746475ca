import { queryOptions } from '@tanstack/react-query'
import { api, backgroundApi } from './api.ts'
import type { Person } from './people.ts'
import { readPages } from './read-pages.ts'
import { toToken } from './token.ts'

export type TokenMethod = 'METHOD_TOKEN' | 'METHOD_ORCHESTRATOR'

/** All tokens of a method, the oldest first. Secrets are in none of the answers. */
export function tokensQuery(method: TokenMethod = 'METHOD_TOKEN') {
  return queryOptions({
    queryKey: ['tokens', method],
    async queryFn({ signal }) {
      const { items, isCut } = await readPages(async (limit, pageToken) => {
        const page = await api.authentications.list({ method, limit, pageToken }, { signal })
        return { items: page.authentications, nextPageToken: page.nextPageToken }
      })
      return { tokens: items.map(toToken), isCut }
    },
    staleTime: 15_000,
  })
}

/** Events that are read to say who made tokens. */
const maxMakers = 500

/** Static tokens are known by their id, people by a hash. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Who made tokens, by the id of the token, as far as the log says. The service itself is not named. */
export const makersQuery = queryOptions({
  queryKey: ['token-makers'],
  async queryFn({ signal }): Promise<ReadonlyMap<string, Person>> {
    const request = { type: 'token.created', limit: maxMakers }
    const { events } = await api.events.list(request, { signal })
    return new Map(
      events
        .filter(({ actorName }) => actorName !== '')
        .map(({ subjectId, actorId, actorName }) => [
          subjectId,
          { name: actorName, isBot: uuid.test(actorId) },
        ]),
    )
  },
  staleTime: 60_000,
  retry: false,
})

/** How often is asked whether a token was used, in milliseconds. Gateways say so once a minute. */
const pollMs = 10_000

/** A token as it is now, asked again until it was used. It counts as no use of the session. */
export function firstUseQuery(id: string) {
  return queryOptions({
    queryKey: ['token-use', id],
    queryFn: ({ signal }) => backgroundApi.authentications.get({ id }, { signal }),
    refetchInterval: ({ state }) => (state.data?.use === undefined ? pollMs : false),
    staleTime: 0,
  })
}
