import { isAddressWithin } from '@svc/access'
import type { Settings } from '@svc/config'
import type { Operation } from '@svc/contract'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { AppError, chain, type MaybePromise, onFailure } from '@svc/runtime'
import type { Exchange } from '../http/exchange.ts'
import { type Credential, readCredential } from './credential.ts'
import { type OwnOrigins, refuseCrossSite } from './cross-site.ts'
import { noCredential, refuseCookie, unauthenticated } from './errors.ts'
import { anonymous, type Identities } from './identities.ts'
import type { RefusalLog } from './refusal-log.ts'
import { parseTicket } from './ticket.ts'

export interface IdentifyParts {
  readonly identities: Identities
  readonly refusals: RefusalLog
  readonly settings: Settings['authentication']
  readonly origins: OwnOrigins
}

/** What stands for a credential where none can be sent. */
export interface PresentedTicket {
  readonly text: string
  readonly namespaceKey: string
}

/**
 * @returns nothing where no credential is needed and none was sent
 * @throws {AppError} `unauthenticated`, `permission_denied` for an address, `unavailable` without auth
 */
export type Identify = (
  exchange: Exchange,
  ticket?: PresentedTicket,
) => MaybePromise<Identity | undefined>

/** Makes what identifies the callers of one operation. */
export type Identifier = (operation: Operation) => Identify

/** Resources of operations that are evaluation, or belong to it. */
const evaluated: ReadonlySet<string> = new Set(['EVALUATION', 'SNAPSHOT', 'USAGE'])

/** Resources of operations that the resource service has no part in. */
const unvouched: ReadonlySet<string> = new Set([
  ...evaluated,
  'AUTHENTICATION',
  'METADATA',
  'EVENT',
])

export function createIdentifier(parts: IdentifyParts): Identifier {
  const { identities, refusals, origins } = parts
  const { required, exclude, methods } = parts.settings
  const excluded = Object.entries(exclude).flatMap(([area, is]) => (is ? area.toUpperCase() : []))
  return ({ access, route }) => {
    if (access.scope.case === 'public') return () => undefined
    const isOpen = !required || excluded.includes(route.area)
    const forEvaluation = evaluated.has(access.resource)
    // The resource service answers only callers that auth vouches for, anonymous ones too.
    const needsVouching = !unvouched.has(access.resource)

    const ofCredential = (credential: Credential, exchange: Exchange): MaybePromise<Identity> => {
      if (credential.carrier === 'header') {
        return identities.identify(credential, forEvaluation, exchange)
      }
      refuseCrossSite(exchange.request.raw, origins)
      return refuseCookie(() => identities.identify(credential, forEvaluation, exchange))
    }

    const find = (
      exchange: Exchange,
      ticket: PresentedTicket | undefined,
    ): MaybePromise<Identity | undefined> => {
      const credential = readCredential(exchange.request.raw, methods.jwt.enabled)
      if (credential !== undefined) return ofCredential(credential, exchange)
      if (ticket !== undefined) {
        const { text, namespaceKey } = ticket
        return identities.identifyTicket(parseTicket(text), namespaceKey, exchange)
      }
      if (!isOpen) throw unauthenticated(noCredential)
      return needsVouching ? identities.identify(anonymous, false, undefined) : undefined
    }

    return (exchange, ticket) => {
      let caller: Identity | undefined
      return onFailure(
        () =>
          chain(find(exchange, ticket), (found) => {
            caller = found
            if (found !== undefined) refuseElsewhere(found, exchange)
            return found
          }),
        (error) => refusals.note(exchange, error, caller),
      )
    }
  }
}

/** @throws {AppError} `permission_denied`; an address that is not known is within no range */
function refuseElsewhere({ authentication, name }: Identity, exchange: Exchange): void {
  const { allowedAddresses = [] } = authentication ?? {}
  if (allowedAddresses.length === 0) return
  if (isAddressWithin(allowedAddresses, exchange.address)) return
  const message = `token "${name}" may not be used from this address`
  throw new AppError('permission_denied', 'address_refused', message)
}
