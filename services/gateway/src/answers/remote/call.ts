import { assertionKey } from '@svc/access'
import type { Operation, UrlValues } from '@svc/contract'
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
/** A change to a namespace waits up to 10 s for its turn. */
const changeTimeoutMs = 13_000
/** The longest of all: the timeout of a route (`operations/mount.ts`) is above it and the time to arrive. */
const slowTimeoutMs = 20_000
/** … and a login: auth gives up on the identity provider after six seconds, and then says so. */
const loginTimeoutMs = 7000

/**
 * Changes in flight to a namespace that are allowed in a burst: each replica of the resource service lets 400 wait for
 * their turn (services/resource/src/changes/commit.ts), which is no overload.
 */
const maxChanges = 1024

/** Namespaces whose changes are counted before those without any are forgotten. */
const maxLimits = 1000

type Call = (
  operation: Operation,
  bytes: Uint8Array,
  exchange: Exchange,
  caller: Identity | undefined,
) => Promise<RawAnswer>

export interface CallService {
  /** Calls the service that has the operation; it may add to the head of the answer. */
  readonly call: Call
  /** Of the calls in flight of the operation's kind; of changes, to the namespace that the URL names. */
  readonly limitOf: (operation: Operation, url: Pick<UrlValues, 'params'>) => InFlightLimit
}

export interface Channels {
  readonly auth: Pick<RpcChannel, 'call'>
  readonly resource: Pick<RpcChannel, 'call'>
}

export function callServices(
  { auth, resource }: Channels,
  acceptsJwt: boolean,
  basePathOf: BasePathOf,
): CallService {
  const callResource: Call = ({ path, access, route }, bytes, exchange, caller) => {
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

  const callAuth: Call = async ({ path, access, route }, bytes, exchange) => {
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

  // Apart, so that what is slow by its nature refuses nothing else, and a namespace no change of another.
  const limits = {
    logins: new InFlightLimit('logins'),
    auth: new InFlightLimit('the auth service'),
    reads: new InFlightLimit('the resource service'),
  }
  const changes = new Map<string, InFlightLimit>()
  const changesOf = (namespaceKey: string): InFlightLimit => {
    if (changes.size >= maxLimits) {
      for (const [key, limit] of changes) if (limit.isIdle) changes.delete(key)
    }
    const limit = changes.get(namespaceKey) ?? new InFlightLimit('changes', { burst: maxChanges })
    changes.set(namespaceKey, limit)
    return limit
  }
  const limitOf: CallService['limitOf'] = ({ access, route }, { params }) => {
    const { scope } = access
    if (route.answeredBy === 'AUTH_SERVICE') {
      return scope.case === 'public' ? limits.logins : limits.auth
    }
    if (access.action === 'READ' && !route.isSlow) return limits.reads
    const [field = ''] = scope.case === 'namespace' ? scope.field : []
    return changesOf(params[field] ?? '')
  }
  const call: Call = (operation, bytes, exchange, caller) => {
    const callOne = operation.route.answeredBy === 'AUTH_SERVICE' ? callAuth : callResource
    const limit = limitOf(operation, exchange.request)
    return limit.run(() => callOne(operation, bytes, exchange, caller))
  }
  return { call, limitOf }
}

/** Says of what revision an answer is, or what the present one is that a request did not expect. */
function applyRevisions(trailers: Trailers, exchange: Exchange): void {
  for (const revision of trailers('svc-revision')) exchange.setHeader('x-svc-revision', revision)
  for (const tag of trailers('svc-etag')) exchange.setHeader('etag', tag)
}
