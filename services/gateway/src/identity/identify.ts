import type { Operation } from '@svc/contract'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { chain, type MaybePromise, onFailure } from '@svc/runtime'
import type { Exchange } from '../http/exchange.ts'
import { refuseElsewhere } from './addresses.ts'
import { type Credential, readCredential } from './credential.ts'
import { type OwnOrigins, refuseCrossSite } from './cross-site.ts'
import { noCredential, refuseCookie, unauthenticated } from './errors.ts'
import type { Identities } from './identities.ts'
import type { RefusalLog } from './refusal-log.ts'
import { parseTicket } from './ticket.ts'

export interface IdentifySettings {
  /** Whether requests need a credential. */
  readonly required: boolean
  /** Areas that need no credential although one is required elsewhere. */
  readonly exclude: {
    readonly management: boolean
    readonly evaluation: boolean
    readonly ofrep: boolean
    readonly metadata: boolean
  }
  /** Whether JWTs are credentials. */
  readonly acceptsJwt: boolean
  readonly origins: OwnOrigins
}

export interface IdentifyParts {
  readonly identities: Identities
  readonly refusals: RefusalLog
}

/** What stands for a credential where none can be sent. */
export interface PresentedTicket {
  readonly text: string
  readonly namespaceKey: string
}

/**
 * Finds out who sends a request.
 *
 * @returns nothing where no credential is needed and none was sent
 * @throws {AppError} `unauthenticated`, `permission_denied` for an address, `unavailable` when auth
 *   cannot be asked
 */
export type Identify = (
  exchange: Exchange,
  ticket?: PresentedTicket,
) => MaybePromise<Identity | undefined>

/** Makes what identifies the callers of one operation. */
export type Identifier = (operation: Operation) => Identify

export function createIdentifier(
  { identities, refusals }: IdentifyParts,
  settings: IdentifySettings,
): Identifier {
  return ({ access, route }) => {
    if (access.scope.case === 'public') return () => undefined
    const isOpen = !settings.required || isExcluded(route.area, settings.exclude)
    const forEvaluation = access.resource === 'EVALUATION'
    // The resource service answers only callers that auth vouches for, anonymous ones too.
    const needsVouching = !unvouched.has(access.resource)

    const ofCredential = (credential: Credential, exchange: Exchange): MaybePromise<Identity> => {
      if (credential.carrier === 'header') return identities.identify(credential, forEvaluation)
      refuseCrossSite(exchange.request.raw, settings.origins)
      return refuseCookie(() => identities.identify(credential, forEvaluation))
    }

    const find = (
      exchange: Exchange,
      ticket: PresentedTicket | undefined,
    ): MaybePromise<Identity | undefined> => {
      const credential = readCredential(exchange.request.raw, settings.acceptsJwt)
      if (credential !== undefined) return ofCredential(credential, exchange)
      if (ticket !== undefined) {
        return identities.identifyTicket(parseTicket(ticket.text), ticket.namespaceKey)
      }
      if (!isOpen) throw unauthenticated(noCredential)
      return needsVouching ? identities.identifyAnonymous() : undefined
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

function isExcluded(
  area: Operation['route']['area'],
  exclude: IdentifySettings['exclude'],
): boolean {
  switch (area) {
    case 'MANAGEMENT':
      return exclude.management
    case 'EVALUATION':
      return exclude.evaluation
    case 'OFREP':
      return exclude.ofrep
    case 'METADATA':
      return exclude.metadata
    case 'AUTH':
      return false
  }
}

/** Resources of operations that the resource service has no part in. */
const unvouched: ReadonlySet<string> = new Set(['EVALUATION', 'AUTHENTICATION', 'METADATA'])
