import { assertCaller } from '@svc/access'
import type { Identity, IdentityServiceDefinition } from '@svc/proto/auth/v1/identities'
import type { Handlers } from '@svc/rpc'
import type { ServiceContext } from './context.ts'
import { noteRefusals } from './records/refused-requests.ts'
import { toBytes } from './records/token.ts'
import { reportUses } from './records/uses.store.ts'
import { watchRevocations } from './revocations/watch.ts'

/** @param assertionKeys the first is used; with none the services trust each other without assertions */
export function identityHandlers(context: ServiceContext, [key]: readonly string[]) {
  const { settings, db, nowMs, counts, authenticate, authenticateTicket, revocations } = context
  const { required, exclude } = settings.authentication
  const acceptsAnonymous = !required || exclude.management

  /** Adds to an identity the assertion that the resource service accepts. */
  const vouch = (identity: Identity): Identity => {
    if (key === undefined) return identity
    const { authentication, name, namespaceKey, principal } = identity
    const caller = {
      tokenId: authentication?.id ?? '',
      principal,
      method: authentication?.method ?? 'anonymous',
      name,
      namespaceKey: namespaceKey === '' ? null : namespaceKey,
    }
    return { ...identity, assertion: assertCaller(caller, key, nowMs()) }
  }

  return {
    async authenticate({ clientToken }) {
      const isAnonymous = clientToken === '' && acceptsAnonymous
      if (isAnonymous) return vouch(anonymous)
      try {
        const holder = await authenticate(clientToken)
        counts.noteSuccess(holder.authentication.method)
        return vouch(holder)
      } catch (error) {
        counts.noteFailure(undefined, error)
        throw error
      }
    },

    authenticateTicket,

    async *watchRevocations(_request, { signal }) {
      for await (const tokenHashes of watchRevocations(revocations, context.isFollowing, signal)) {
        yield { tokenHashes: tokenHashes.map(toBytes) }
      }
    },

    async reportUses({ uses, refusals }) {
      await reportUses(db, uses)
      noteRefusals(context.events, refusals)
      return {}
    },
  } satisfies Handlers<IdentityServiceDefinition>
}

/** The identity of a call without a credential, where management needs none. */
const anonymous: Identity = {
  namespaceKey: '',
  name: '',
  principal: '',
  tokenHash: Buffer.of(),
  isSession: false,
}
