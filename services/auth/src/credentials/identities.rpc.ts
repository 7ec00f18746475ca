import type { Queryable } from '@svc/database'
import type { IdentityServiceDefinition } from '@svc/proto/auth/v1/identities'
import type { Handlers } from '@svc/rpc'
import type { Identities } from './lookup/identities.ts'
import { toBytes } from './records/authentications.store.ts'
import { reportUses } from './records/uses.ts'
import { watchRevocations } from './revocations/watch.ts'
import { anonymous, type Vouch } from './vouching.ts'

export interface IdentityHandlersParts {
  readonly db: Queryable
  readonly identities: Identities
  readonly vouch: Vouch
  /** Whether those who have no credential are somebody, too. */
  readonly isOpenToAll: boolean
}

export function identityHandlers({ db, identities, vouch, isOpenToAll }: IdentityHandlersParts) {
  const { authenticate, authenticateTicket, revocations, isFollowing } = identities
  return {
    async authenticate({ clientToken }) {
      const isAnonymous = clientToken === '' && isOpenToAll
      return vouch(isAnonymous ? anonymous : await authenticate(clientToken))
    },

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
