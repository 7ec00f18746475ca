import { assertionKey } from '@svc/access'
import type { Operation } from '@svc/contract'
import type { Identity } from '@svc/proto/auth/v1/identities'
import type { RawAnswer, RpcChannel, Trailers } from '@svc/rpc'
import type { Exchange } from '../../http/exchange.ts'
import { applyResponseMetadata, metadataForAuth } from '../../identity/auth-metadata.ts'
import { refuseCookie } from '../../identity/errors.ts'
import type { BasePathOf } from '../../interface/base-path.ts'
import { InFlightLimit } from './in-flight-limit.ts'
import { originOf } from './origin.ts'
import { preconditionOf } from './precondition.ts'

/** What a read and a write may take behind the gateway, in milliseconds. */
const readTimeoutMs = 2000
const writeTimeoutMs = 3000
/** A change to a namespace waits up to 10 s for its turn. Below the limit of a route, which is 20 s. */
const changeTimeoutMs = 13_000
const slowTimeoutMs = 20_000
/** … and a login: auth gives up on the identity provider after six seconds, and then says so. */
const loginTimeoutMs = 7000

/**
 * Changes in flight that are always allowed: the resource service lets 400 of a namespace wait for their turn
 * (services/resource/src/changes/commit.ts), which is no overload, and those of others are not held up by them.
 */
const minChanges = 1024

/** Calls the service that has the operation; it may add to the head of the answer. */
export type CallService = (
  operation: Operation,
  bytes: Uint8Array,
  exchange: Exchange,
  caller: Identity | undefined,
) => Promise<RawAnswer>

export interface Channels {
  readonly auth: Pick<RpcChannel, 'call'>
  readonly resource: Pick<RpcChannel, 'call'>
}

export function callServices(
  { auth, resource }: Channels,
  acceptsJwt: boolean,
  basePathOf: BasePathOf,
): CallService {
  const callResource: CallService = ({ path, access, route }, bytes, exchange, caller) => {
    const assertion = caller?.assertion
    const isRead = access.action === 'READ'
    const usualTimeoutMs = isRead ? readTimeoutMs : changeTimeoutMs
    return resource.call(path, bytes, {
      timeoutMs: route.isSlow ? slowTimeoutMs : usualTimeoutMs,
      metadata: {
        ...(assertion !== undefined && { [assertionKey]: assertion }),
        ...(!isRead && { ...originOf(exchange), ...preconditionOf(exchange) }),
      },
      onTrailers: (trailers) => applyRevisions(trailers, exchange),
    })
  }

  const callAuth: CallService = async ({ path, access, route }, bytes, exchange) => {
    const isLogin = access.scope.case === 'public'
    const usualTimeoutMs = access.action === 'READ' ? readTimeoutMs : writeTimeoutMs
    const otherTimeoutMs = route.isSlow ? slowTimeoutMs : usualTimeoutMs
    // Auth looks at the credential itself where it matters who is calling; we have, too, by now.
    const metadata = metadataForAuth(exchange, { isLogin, acceptsJwt })
    const call = () =>
      auth.call(path, bytes, {
        timeoutMs: isLogin ? loginTimeoutMs : otherTimeoutMs,
        metadata,
        onTrailers: (trailers) => applyResponseMetadata(trailers, exchange, basePathOf),
      })
    return metadata['svc-credential'] === 'cookie' ? refuseCookie(call) : call()
  }

  // Apart, so that what is slow by its nature refuses nothing else.
  const limits = {
    logins: new InFlightLimit('logins'),
    auth: new InFlightLimit('the auth service'),
    changes: new InFlightLimit('changes', { atLeast: minChanges }),
    reads: new InFlightLimit('the resource service'),
  }
  return (operation, ...rest) => {
    const { access, route } = operation
    if (route.answeredBy === 'AUTH_SERVICE') {
      const limit = access.scope.case === 'public' ? limits.logins : limits.auth
      return limit.run(() => callAuth(operation, ...rest))
    }
    const limit = access.action === 'READ' && !route.isSlow ? limits.reads : limits.changes
    return limit.run(() => callResource(operation, ...rest))
  }
}

/** Says of what revision an answer is, or what the present one is that a request did not expect. */
function applyRevisions(trailers: Trailers, exchange: Exchange): void {
  for (const revision of trailers('svc-revision')) exchange.setHeader('x-svc-revision', revision)
  for (const tag of trailers('svc-etag')) exchange.setHeader('etag', tag)
}
