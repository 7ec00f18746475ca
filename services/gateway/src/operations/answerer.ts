import type { BoundOperation, Operation } from '@svc/contract'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { methodPath, type ServiceDefinition } from '@svc/rpc'
import type { MaybePromise } from '@svc/runtime'
import type { ErrorBody } from '../http/errors.ts'
import type { AnswerBody, Exchange } from '../http/exchange.ts'
import type { RouteLimit } from '../http/route-limits.ts'
import type { PresentedTicket } from '../identity/identify.ts'

/** A request that has been read, and waits for its caller to be authorized. */
export interface PreparedCall {
  /** Every namespace that it is about, resolved. */
  readonly namespaceKeys: readonly string[]
  /** Names in its body that mean nothing, as a header has them. */
  readonly ignored?: () => string | undefined
  /** Keys of the flags that it is about, for the request log. */
  readonly flagKeys?: () => readonly string[]
  /** @param caller nothing where no credential is needed and none was sent */
  answer(caller: Identity | undefined): MaybePromise<AnswerBody>
}

/** Answers one operation, as one of its URLs calls it. */
export interface Answerer {
  /** @throws {AppError} `invalid_argument` for what does not fit the request message */
  prepare(exchange: Exchange): MaybePromise<PreparedCall>
  /** The ticket that a request has in place of a credential. Such a request waits for no revision. */
  ticketOf?(exchange: Exchange): PresentedTicket | undefined
  /** The form of its errors, where it is another than usual. */
  readonly errorBody?: ErrorBody
  /** Of what it calls, if anything. */
  readonly limit?: RouteLimit
  /** Whether its answers come compressed, if at all. */
  readonly isCompressed?: boolean
}

export type AnswererFor = (bound: BoundOperation) => Answerer

/** Answerers by the path of their operation. */
export type Answerers = ReadonlyMap<Operation['path'], AnswererFor>

/** @param table an answerer for every method of the service, which the compiler enforces */
export function answerersOf<S extends ServiceDefinition>(
  service: S,
  table: { readonly [K in keyof S['methods']]: AnswererFor },
): Answerers {
  return new Map(
    Object.entries<AnswererFor>(table).flatMap(([key, answererFor]) => {
      const name = service.methods[key]?.name
      return name === undefined ? [] : [[methodPath(service, name), answererFor]]
    }),
  )
}
