import type { IncomingMessage } from 'node:http'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { AppError } from '@svc/runtime'
import type { FastifyRequest } from 'fastify'
import { holdFor, type MinRevision, readMinRevisions } from '../replica/min-revision.ts'
import type { Replica } from '../replica/replica.ts'
import type { AccessRule } from '../transcoding/contract.ts'
import { isBoundToAddresses, refuseElsewhere } from './addresses.ts'
import { authorize } from './authorize.ts'
import { clientAddress } from './client-address.ts'
import { readCredential, recallToken } from './credential.ts'
import { type OwnOrigins, refuseCrossSite } from './cross-site.ts'
import type { Identities } from './identities.ts'
import { noCredential, refuseCookie, unauthenticated } from './refusals.ts'
import { parseTicket } from './ticket.ts'
import type { Uses } from './uses.ts'

/** Decides whether a request may go on, and when. */
export interface Guard {
  /**
   * Holds a read, too, until this gateway has the revision that it asks for.
   *
   * @param namespaceKeys every namespace that the request touches, resolved
   * @param ticket stands for a credential where there is none, in the first of those namespaces
   * @returns who is calling, if anybody says so
   * @throws {AppError} `unauthenticated` or `permission_denied`; `unavailable` when it cannot tell,
   *   or the revision does not come
   */
  check(
    request: FastifyRequest,
    access: AccessRule,
    namespaceKeys: readonly string[],
    ticket?: string,
  ): Promise<Identity | undefined>
}

/** The same for whom nothing has to be waited for: neither auth nor a revision. */
export interface QuickGuard extends Guard {
  /**
   * @param url the template of the route
   * @returns who is calling, or that nobody has to say so; nothing for all others, who have to be
   *   checked
   * @throws {AppError} as `check` will
   */
  admit(
    request: IncomingMessage,
    url: string,
    access: AccessRule,
    namespaceKeys: readonly string[],
  ): Identity | 'anyone' | undefined
}

export interface GuardSettings {
  readonly required: boolean
  /** Groups of routes that need no credential although one is required elsewhere. */
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

export interface GuardParts {
  readonly identities: Identities
  readonly replica: Replica
  readonly uses: Uses
}

/** Guards every route by the access rule in its annotation. */
export function createGuard(
  { identities, replica, uses }: GuardParts,
  settings: GuardSettings,
): QuickGuard {
  const { acceptsJwt, origins } = settings
  const isOpen = (url: string): boolean => {
    if (!settings.required) return true
    const area = areaOf(url)
    return area !== undefined && settings.exclude[area]
  }

  return {
    async check(request, access, namespaceKeys, ticket) {
      if (access.scope.case === 'public') return undefined
      const url = request.routeOptions.url ?? ''
      let identity: Identity | undefined
      const revisions = ticket === undefined ? revisionsFor(request, access) : []
      try {
        const credential = readCredential(request.raw.rawHeaders, acceptsJwt)
        if (credential?.carrier === 'cookie') {
          refuseCrossSite(request.raw, origins)
          identity = await identities
            .identify(credential.token, isEvaluation(access))
            .catch(refuseCookie)
        } else if (credential !== undefined) {
          identity = await identities.identify(credential.token, isEvaluation(access))
        } else if (ticket !== undefined) {
          identity = await identities.identifyTicket(parseTicket(ticket), namespaceKeys[0] ?? '')
        } else if (!isOpen(url)) {
          throw unauthenticated(noCredential)
        } else if (needsVouching(access)) {
          identity = await identities.identifyAnonymous()
        }
        if (identity !== undefined) {
          const address = clientAddress(request)
          refuseElsewhere(identity, address)
          authorize(identity, access, withNamespacesOf(revisions, namespaceKeys))
          uses.note(identity, address)
        }
      } catch (error) {
        if (error instanceof AppError && isRefusal(error)) {
          request.log.info({ reason: error.reason, route: url }, 'refused')
        }
        throw error
      }
      if (revisions.length > 0) await holdFor(replica, revisions)
      return identity
    },

    admit(request, url, access, namespaceKeys) {
      if (access.scope.case === 'public') return 'anyone'
      const revisions = revisionsFor(request, access)
      const isHere = revisions.every(
        ({ namespaceKey, revision }) => replica.revisionOf(namespaceKey) >= revision,
      )
      if (!isHere) return undefined
      const token = recallToken(request.rawHeaders, acceptsJwt, request.socket)
      if (token === undefined) {
        return isOpen(url) && request.headers.cookie === undefined ? 'anyone' : undefined
      }
      const identity = identities.recall(token, isEvaluation(access))
      // Where a request comes from is found out on the long way.
      if (identity === undefined || isBoundToAddresses(identity)) return undefined
      authorize(identity, access, withNamespacesOf(revisions, namespaceKeys))
      return uses.noteAgain(identity) ? identity : undefined
    },
  }
}

function isEvaluation({ resource }: AccessRule): boolean {
  return resource === 'EVALUATION'
}

/** What no call to the resource service is made for. */
const unvouched: ReadonlySet<string> = new Set(['EVALUATION', 'AUTHENTICATION', 'METADATA'])

/** What the resource service does, it does for somebody whom auth vouches for; nobody in particular, too. */
function needsVouching({ resource }: AccessRule): boolean {
  return !unvouched.has(resource)
}

/** Only reads wait. */
function revisionsFor({ headers }: Pick<IncomingMessage, 'headers'>, { action }: AccessRule) {
  return action === 'READ' ? readMinRevisions(headers) : []
}

/**
 * To ask for a revision of a namespace is to ask about that namespace. What is about none at all does
 * not become a matter of that namespace by it.
 */
function withNamespacesOf(revisions: readonly MinRevision[], namespaceKeys: readonly string[]) {
  if (revisions.length === 0 || namespaceKeys.length === 0) return namespaceKeys
  return [...namespaceKeys, ...revisions.map(({ namespaceKey }) => namespaceKey)]
}

function isRefusal(error: AppError): boolean {
  return error.code === 'unauthenticated' || error.code === 'permission_denied'
}

/** By the template of the matched route, never by the text of the URL. */
function areaOf(template: string): keyof GuardSettings['exclude'] | undefined {
  if (template.startsWith('/api/v1/')) return 'management'
  if (template.startsWith('/evaluate/v1/')) return 'evaluation'
  if (template.startsWith('/internal/v1/evaluation/')) return 'evaluation'
  if (template.startsWith('/ofrep/')) return 'ofrep'
  if (template.startsWith('/meta/')) return 'metadata'
  return undefined
}
