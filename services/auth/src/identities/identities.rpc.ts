import type { IdentityServiceDefinition } from '@svc/proto/auth/v1/identities'
import type { Handlers } from '@svc/runtime'
import type { RecentRevocations } from '../revocations/recent-revocations.ts'
import { watchRevocations } from '../revocations/watch.ts'
import { toBytes } from '../tokens/authentications.store.ts'
import type { Authenticate } from './authenticate.ts'

export function identityHandlers(
  authenticate: Authenticate,
  revocations: RecentRevocations,
  isFollowing: () => boolean,
) {
  return {
    authenticate: ({ clientToken }) => authenticate(clientToken),

    async *watchRevocations(_request, { signal }) {
      for await (const tokenHashes of watchRevocations(revocations, isFollowing, signal)) {
        yield { tokenHashes: tokenHashes.map(toBytes) }
      }
    },
  } satisfies Handlers<IdentityServiceDefinition>
}
