import { authorize } from '@svc/access'
import type { AccessRule, Operation } from '@svc/contract'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { chain, type Logger, type MaybePromise } from '@svc/runtime'
import type { AnswerBody, Exchange } from '../http/exchange.ts'
import type { NoteFacts } from '../http/request-log.ts'
import type { Identifier } from '../identity/identify.ts'
import type { LoginGuard } from '../identity/login-guard.ts'
import type { RefusalLog } from '../identity/refusal-log.ts'
import type { Uses } from '../identity/uses.ts'
import { type MinRevision, readMinRevisions, waitForRevisions } from '../replica/min-revision.ts'
import type { Replica } from '../replica/replica.ts'
import type { Answerer, PreparedCall } from './answerer.ts'
import { noteIgnored } from './ignored.ts'

/** What the steps of all operations share. */
export interface PipelineParts {
  readonly log: Logger
  readonly replica: Replica
  readonly uses: Uses
  readonly refusals: RefusalLog
  readonly identifierFor: Identifier
  readonly loginGuard: LoginGuard
  /** Left out where requests are not logged. */
  readonly noteFacts?: NoteFacts
}

/** Answers a request whose body has arrived: at once, unless a step has to wait. */
export type Serve = (exchange: Exchange) => MaybePromise<AnswerBody>

/**
 * The one way through the gateway: identify, read, authorize, wait for revisions, answer. The caller is
 * known before the body is parsed, which costs more than a refusal.
 */
export function createPipeline(
  operation: Operation,
  answerer: Answerer,
  parts: PipelineParts,
): Serve {
  const { log, replica, loginGuard, noteFacts } = parts
  const identify = parts.identifierFor(operation)
  const { access } = operation

  const answer = (
    exchange: Exchange,
    caller: Identity | undefined,
    hasTicket: boolean,
  ): MaybePromise<AnswerBody> => {
    const call = answerer.prepare(exchange)
    const revisions = hasTicket ? [] : revisionsFor(exchange, access)
    authorizeCall(exchange, caller, call, revisions)
    return chain(waitForRevisions(replica, revisions), () => {
      if (call.body !== undefined) noteIgnored(exchange, operation, call.body, log)
      return call.answer(caller)
    })
  }

  const authorizeCall = (
    exchange: Exchange,
    caller: Identity | undefined,
    { namespaceKeys, flagKeys }: PreparedCall,
    revisions: readonly MinRevision[],
  ): void => {
    const { raw } = exchange.request
    const keys = withNamespacesOf(revisions, namespaceKeys)
    if (caller !== undefined) {
      try {
        authorize(access, caller, keys)
      } catch (error) {
        parts.refusals.note(exchange, error, caller)
        throw error
      }
      parts.uses.note(caller, exchange.address)
    }
    if (keys.length > 0) noteFacts?.(raw, { namespaces: keys })
    if (flagKeys !== undefined) noteFacts?.(raw, { flags: flagKeys })
  }

  return (exchange) => {
    if (operation.route.login !== undefined) loginGuard(operation, exchange)
    const ticket = answerer.ticketOf?.(exchange)
    return chain(identify(exchange, ticket), (caller) => {
      const tokenId = caller?.authentication?.id
      if (tokenId) noteFacts?.(exchange.request.raw, { tokenId })
      return answer(exchange, caller, ticket !== undefined)
    })
  }
}

/**
 * Only reads wait, and only what is about a namespace: by the others a caller could find out which
 * namespaces there are.
 */
function revisionsFor(
  { request }: Exchange,
  { action, scope }: AccessRule,
): readonly MinRevision[] {
  const hasNamespace = scope.case === 'namespace' || scope.case === 'namespaceHeader'
  return action === 'READ' && hasNamespace ? readMinRevisions(request.raw.headers) : []
}

/**
 * To ask for a revision of a namespace is to ask about that namespace. A batch without anything in it is
 * about none, and does not become a matter of that namespace by it.
 */
function withNamespacesOf(revisions: readonly MinRevision[], namespaceKeys: readonly string[]) {
  if (revisions.length === 0 || namespaceKeys.length === 0) return namespaceKeys
  return [...namespaceKeys, ...revisions.map(({ namespaceKey }) => namespaceKey)]
}
