import { authorize } from '@svc/access'
import type { Operation } from '@svc/contract'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { chain, type Logger, type MaybePromise, onFailure } from '@svc/runtime'
import type { AnswerBody, Exchange } from '../http/exchange.ts'
import type { Identifier } from '../identity/identify.ts'
import type { LoginGuard } from '../identity/login-guard.ts'
import type { RefusalLog } from '../identity/refusal-log.ts'
import type { Uses } from '../identity/uses.ts'
import { type MinRevision, readMinRevisions, waitForRevisions } from '../replica/min-revision.ts'
import type { Replica } from '../replica/replica.ts'
import type { Answerer, PreparedCall } from './answerer.ts'
import type { RequestTraces } from './request-traces.ts'

/** What the steps of all operations share. */
export interface PipelineParts {
  readonly log: Logger
  readonly replica: Replica
  readonly uses: Uses
  readonly refusals: RefusalLog
  readonly identifierFor: Identifier
  readonly loginGuard: LoginGuard
  readonly traces: RequestTraces
}

/** Answers a request whose body has arrived: at once, unless a step has to wait. */
export type Serve = (exchange: Exchange) => MaybePromise<AnswerBody>

/**
 * Whether a page asked by itself, for news: that does not keep a session from being idle. What changes something is
 * always a use, and of other tokens every request is.
 */
function isBackground({ request }: Exchange, { isSession }: Identity): boolean {
  return isSession && request.raw.headers['x-svc-background'] !== undefined
}

const noRevisions: readonly MinRevision[] = Object.freeze([])

/**
 * The one way through the gateway: identify, read, authorize, wait for revisions, answer. The caller is
 * known before the body is parsed, which costs more than a refusal.
 */
export function createPipeline(
  operation: Operation,
  answerer: Answerer,
  parts: PipelineParts,
): Serve {
  const { log, replica, loginGuard, refusals, traces, uses } = parts
  const identify = parts.identifierFor(operation)
  const { access } = operation
  const { action, scope } = access
  const hasNamespace = scope.case === 'namespace' || scope.case === 'namespaceHeader'
  // By other operations a caller could find out which namespaces there are.
  const mayWait = action === 'READ' && hasNamespace

  const answer = (
    exchange: Exchange,
    call: PreparedCall,
    caller: Identity | undefined,
    hasTicket: boolean,
  ): MaybePromise<AnswerBody> => {
    const revisions =
      mayWait && !hasTicket ? readMinRevisions(exchange.request.raw.headers) : noRevisions
    const keys = withNamespacesOf(revisions, call.namespaceKeys)
    if (caller !== undefined) {
      try {
        authorize(access, caller, keys)
      } catch (error) {
        refusals.note(exchange, error, caller)
        throw error
      }
      if (action !== 'READ' || !isBackground(exchange, caller)) uses.note(caller, exchange.address)
    }
    if (keys.length > 0) exchange.namespaceKeys = keys
    exchange.flagKeys = call.flagKeys
    return chain(waitForRevisions(replica, revisions), () => {
      noteIgnored(exchange, call.ignored?.(), log)
      return answerNoting(() => call.answer(caller), exchange, caller)
    })
  }

  // Auth notes refused logins itself.
  const isNoted = operation.route.answeredBy !== 'GATEWAY' && scope.case !== 'public'
  const answerNoting = (
    answer: () => MaybePromise<AnswerBody>,
    exchange: Exchange,
    caller: Identity | undefined,
  ): MaybePromise<AnswerBody> =>
    isNoted ? onFailure(answer, (error) => refusals.note(exchange, error, caller)) : answer()

  const serve: Serve = (exchange) => {
    if (operation.route.login !== undefined) loginGuard(operation, exchange)
    const ticket = answerer.ticketOf?.(exchange)
    return chain(identify(exchange, ticket), (caller) => {
      exchange.tokenId = caller?.authentication?.id || undefined
      return traces.identified(exchange, operation, caller, () =>
        chain(answerer.prepare(exchange), (call) =>
          answer(exchange, call, caller, ticket !== undefined),
        ),
      )
    })
  }
  return (exchange) => traces.begin(exchange, operation, () => serve(exchange))
}

/** Names the unknown members of a body to the caller and, at `debug`, to the log: they hide slips. */
function noteIgnored(exchange: Exchange, ignored: string | undefined, log: Logger): void {
  if (ignored === undefined) return
  exchange.setHeader('x-svc-ignored', ignored)
  const { route } = exchange.request
  log.debug({ ...exchange.logFields, ignored, route }, 'names in the body were ignored')
}

/** To ask for a revision of a namespace is to ask about that namespace. An empty batch is about none. */
function withNamespacesOf(revisions: readonly MinRevision[], namespaceKeys: readonly string[]) {
  if (revisions.length === 0 || namespaceKeys.length === 0) return namespaceKeys
  return [...namespaceKeys, ...revisions.map(({ namespaceKey }) => namespaceKey)]
}
