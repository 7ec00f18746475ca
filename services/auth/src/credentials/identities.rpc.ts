import type { IdentityServiceDefinition } from '@svc/proto/auth/v1/identities'
import type { Handlers } from '@svc/rpc'
import type { ServiceContext } from './context.ts'
import { toBytes } from './records/token.ts'
import { reportUses } from './records/uses.ts'
import { watchRevocations } from './revocations/watch.ts'
import { anonymous, isOpenToAll, type Vouch } from './vouching.ts'

export function identityHandlers(context: ServiceContext, vouch: Vouch) {
  const { settings, db, authenticate, authenticateTicket, revocations, isFollowing } = context
  const acceptsAnonymous = isOpenToAll(settings.authentication)
  return {
    async authenticate({ clientToken }) {
      const isAnonymous = clientToken === '' && acceptsAnonymous
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
