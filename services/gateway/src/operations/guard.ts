import type { IncomingMessage } from 'node:http'
import { authorize } from '@svc/access'
import type { AccessRule } from '@svc/contract'
import type { Identity } from '@svc/proto/auth/v1/identities'
import type { FastifyRequest } from 'fastify'
import { clientAddress } from '../http/client-address.ts'
import { noteFacts } from '../http/request-log.ts'
import { isBoundToAddresses, refuseElsewhere } from '../identity/addresses.ts'
import { readCredential, recallToken } from '../identity/credential.ts'
import { type OwnOrigins, refuseCrossSite } from '../identity/cross-site.ts'
import type { Identities } from '../identity/identities.ts'
import type { RefusalLog } from '../identity/refusal-log.ts'
import { noCredential, refuseCookie, unauthenticated } from '../identity/refusals.ts'
import { parseTicket } from '../identity/ticket.ts'
import type { Uses } from '../identity/uses.ts'
import { type MinRevision, readMinRevisions, waitForRevisions } from '../replica/min-revision.ts'
import type { Replica } from '../replica/replica.ts'

/**
 * Decides whether a request may go on, and when: {@link identify} before its body is looked at, because
 * that costs more than a refusal, then {@link authorize}; or both in one.
 */
export interface Guard {
  /**
   * @returns who is calling, if anybody says so
   * @throws {AppError} `unauthenticated`, `permission_denied` for an address, `unavailable` when it
   *   cannot tell
   */
  identify(request: FastifyRequest, access: AccessRule): Promise<Identity | undefined>

  /**
   * Holds a read, too, until this gateway has the revision that it asks for.
   *
   * @param caller as {@link identify} found out
   * @param namespaceKeys every namespace that the request touches, resolved
   * @throws {AppError} `permission_denied`; `unavailable` when the revision does not come
   */
  authorize(
    request: FastifyRequest,
    caller: Identity | undefined,
    access: AccessRule,
    namespaceKeys: readonly string[],
  ): Promise<void>

  /**
   * For what is about the namespaces in its URL or its headers.
   *
   * @param ticket stands for a credential where there is none, in the first of those namespaces; it
   *   asks for no revision
   * @returns who is calling, if anybody says so
   * @throws {AppError} as {@link identify} and {@link authorize} do
   */
  check(
    request: FastifyRequest,
    access: AccessRule,
    namespaceKeys: readonly string[],
    ticket?: string,
  ): Promise<Identity | undefined>
}

/** A caller as it is known without asking auth; some routes are open to callers without credentials. */
export type KnownCaller = Identity | 'anyone'

/** The same for whom nothing has to be waited for: neither auth nor a revision. */
export interface QuickGuard extends Guard {
  /**
   * @param url the template of the route
   * @returns nothing for all others, who have to be identified
   * @throws {AppError} as `identify` will
   */
  recall(request: IncomingMessage, url: string, access: AccessRule): KnownCaller | undefined

  /**
   * @returns whether the request may go on now; if not, it has to be checked
   * @throws {AppError} as `authorize` will
   */
  admit(
    request: IncomingMessage,
    caller: KnownCaller,
    access: AccessRule,
    namespaceKeys: readonly string[],
  ): boolean
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
  readonly refusals: RefusalLog
}

/** Guards every route by the access rule in its annotation. */
export function createGuard(
  { identities, replica, uses, refusals }: GuardParts,
  settings: GuardSettings,
): QuickGuard {
  const { acceptsJwt, origins } = settings
  const isOpen = (url: string): boolean => {
    if (!settings.required) return true
    const area = areaOf(url)
    return area !== undefined && settings.exclude[area]
  }

  /** @param ticketFor the namespace and the ticket for it, where there may be one */
  const findCaller = async (
    request: FastifyRequest,
    access: AccessRule,
    ticketFor?: readonly [namespaceKey: string, ticket: string],
  ): Promise<Identity | undefined> => {
    const credential = readCredential(request.raw.rawHeaders, acceptsJwt)
    if (credential?.carrier === 'cookie') {
      refuseCrossSite(request.raw, origins)
      return identities.identify(credential.token, isEvaluation(access)).catch(refuseCookie)
    }
    if (credential !== undefined) return identities.identify(credential.token, isEvaluation(access))
    if (ticketFor !== undefined) {
      const [namespaceKey, ticket] = ticketFor
      return identities.identifyTicket(parseTicket(ticket), namespaceKey)
    }
    if (!isOpen(templateOf(request))) throw unauthenticated(noCredential)
    return needsVouching(access) ? identities.identifyAnonymous() : undefined
  }

  const identify = async (...args: Parameters<typeof findCaller>) => {
    const [request, { scope }] = args
    if (scope.case === 'public') return undefined
    let caller: Identity | undefined
    try {
      caller = await findCaller(...args)
      if (caller !== undefined) refuseElsewhere(caller, clientAddress(request))
    } catch (error) {
      refusals.note(request, error, caller)
      throw error
    }
    const tokenId = caller?.authentication?.id
    if (tokenId) noteFacts(request, { tokenId })
    return caller
  }

  const authorizeCaller = (
    request: FastifyRequest,
    caller: Identity | undefined,
    access: AccessRule,
    namespaceKeys: readonly string[],
  ): void => {
    try {
      if (caller !== undefined) authorize(access, caller, namespaceKeys)
    } catch (error) {
      refusals.note(request, error, caller)
      throw error
    }
    if (namespaceKeys.length > 0) noteFacts(request, { namespaces: namespaceKeys })
    if (caller !== undefined) uses.note(caller, clientAddress(request))
  }

  const authorizeAndHold: Guard['authorize'] = async (request, caller, access, namespaceKeys) => {
    const revisions = revisionsFor(request, access)
    authorizeCaller(request, caller, access, withNamespacesOf(revisions, namespaceKeys))
    if (revisions.length > 0) await waitForRevisions(replica, revisions)
  }

  return {
    identify: (request, access) => identify(request, access),
    authorize: authorizeAndHold,

    async check(request, access, namespaceKeys, ticket) {
      if (ticket === undefined) {
        const caller = await identify(request, access)
        await authorizeAndHold(request, caller, access, namespaceKeys)
        return caller
      }
      const caller = await identify(request, access, [namespaceKeys[0] ?? '', ticket])
      authorizeCaller(request, caller, access, namespaceKeys)
      return caller
    },

    recall(request, url, access) {
      if (access.scope.case === 'public') return 'anyone'
      const token = recallToken(request.rawHeaders, acceptsJwt, request.socket)
      if (token === undefined) {
        return isOpen(url) && request.headers.cookie === undefined ? 'anyone' : undefined
      }
      const identity = identities.recall(token, isEvaluation(access))
      // Where a request comes from is found out on the long way.
      return identity === undefined || isBoundToAddresses(identity) ? undefined : identity
    },

    admit(request, caller, access, namespaceKeys) {
      const revisions = revisionsFor(request, access)
      const isHere = revisions.every(
        ({ namespaceKey, revision }) => replica.revisionOf(namespaceKey) >= revision,
      )
      if (!isHere) return false
      if (caller === 'anyone') return true
      authorize(access, caller, withNamespacesOf(revisions, namespaceKeys))
      return uses.noteAgain(caller)
    },
  }
}

function templateOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? ''
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

/**
 * Only reads wait, and only what is about a namespace: by the others a caller could find out which
 * namespaces there are.
 */
function revisionsFor(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { action, scope }: AccessRule,
): readonly MinRevision[] {
  const hasNamespace = scope.case === 'namespace' || scope.case === 'namespaceHeader'
  return action === 'READ' && hasNamespace ? readMinRevisions(headers) : []
}

/**
 * To ask for a revision of a namespace is to ask about that namespace. A batch without anything in it is
 * about none, and does not become a matter of that namespace by it.
 */
function withNamespacesOf(revisions: readonly MinRevision[], namespaceKeys: readonly string[]) {
  if (revisions.length === 0 || namespaceKeys.length === 0) return namespaceKeys
  return [...namespaceKeys, ...revisions.map(({ namespaceKey }) => namespaceKey)]
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
