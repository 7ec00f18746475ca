import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
} from '@grpc/grpc-js'
import type { CallAuthenticator } from './call-authenticator.ts'
import type { toStatus } from './status.ts'

/** A health check names a service at most. */
const maxHealthBytes = 1024

/** The part of a method that matters to its refusal. */
type RefusedMethod = Pick<Parameters<ServerInterceptor>[0], 'path' | 'responseStream'>

/** What the library keeps for itself of a call: its limit of messages, as they come and inflated. */
interface CallLimits {
  readonly decoder?: { maxReadMessageLength: number }
  maxReceiveMessageSize?: number
}

/**
 * Authenticates each call by what comes before its request, of which nothing is read until then. Health
 * needs no authentication, and little of its requests is read.
 *
 * @param refuse makes the status of a call that is refused
 */
export function authenticating(
  authenticator: CallAuthenticator,
  refuse: (error: unknown, method: RefusedMethod) => ReturnType<typeof toStatus>,
): ServerInterceptor {
  return (method, call) => {
    const { path } = method
    if (path.startsWith('/grpc.health.v1.Health/')) return limited(call)
    const onReceiveMetadata = (metadata: Metadata, next: (metadata: Metadata) => void) => {
      try {
        authenticator.authenticate({ path, metadata, connection: call })
      } catch (error) {
        call.sendStatus(refuse(error, method))
        return
      }
      next(metadata)
    }
    return new ServerInterceptingCall(call, { start: (next) => next({ onReceiveMetadata }) })
  }
}

function limited(call: ServerInterceptingCallInterface): ServerInterceptingCall {
  const limits = call as CallLimits
  limits.maxReceiveMessageSize = maxHealthBytes
  if (limits.decoder !== undefined) limits.decoder.maxReadMessageLength = maxHealthBytes
  return new ServerInterceptingCall(call)
}
