import type { Queryable } from '@svc/database'
import type { IdentityServiceDefinition } from '@svc/proto/auth/v1/identities'
import type { Handlers } from '@svc/runtime'
import { watchRevocations } from '../revocations/watch.ts'
import { toBytes } from '../tokens/authentications.store.ts'
import { reportUses } from '../tokens/uses.ts'
import type { Identities } from './identities.ts'

export function identityHandlers(
  db: Queryable,
  { authenticate, authenticateTicket, revocations, isFollowing }: Identities,
) {
  return {
    authenticate: ({ clientToken }) => authenticate(clientToken),

    authenticateTicket,

    async *watchRevocations(_request, { signal }) {
      for await (const tokenHashes of watchRevocations(revocations, isFollowing, signal)) {
        yield { tokenHashes: tokenHashes.map(toBytes) }
      }
    },

    async reportUses({ uses }) {
      await reportUses(db, uses)
      return {}
    },
  } satisfies Handlers<IdentityServiceDefinition>
}
