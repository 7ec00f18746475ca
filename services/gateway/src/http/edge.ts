import type { IncomingMessage, Server } from 'node:http'
import type { UrlValues } from '@svc/contract'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { addBodyParser, maxBodyBytes } from './body.ts'
import { type BodyMemory, limitBodyMemory } from './body-memory.ts'
import { type AddressOf, clientAddressBehind } from './client-address.ts'
import { endWhenStalled, limitConnections } from './connections.ts'
import { answerError, type ErrorBody, sendClientError } from './errors.ts'
import { Exchange, sendAnswer } from './exchange.ts'
import { apiHeaders } from './headers.ts'
import { addRequestChecks, maxHeaders, maxUrlBytes } from './request-checks.ts'
import { addRequestEnd } from './request-end.ts'
import { type RequestIdOf, requestIdsBehind } from './request-ids.ts'
import { endSpan } from './request-span.ts'
import { addUnmatched } from './unmatched.ts'

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange
  }
}

/** How the gateway listens; every limit and wait of the HTTP edge that Fastify and Node.js keep. */
const serverOptions = {
  bodyLimit: maxBodyBytes,
  /** A request that has not arrived whole by then is refused. Milliseconds, as all below. */
  requestTimeout: 15_000,
  maxRequestsPerSocket: 10_000,
  /** Longer than the 60 s for which load balancers keep idle connections. */
  keepAliveTimeout: 72_000,
  forceCloseConnections: 'idle',
  // Requests that arrive while closing are answered like any other; the connection then ends.
  return503OnClosing: false,
  requestIdHeader: false,
  routerOptions: {
    // A key that is too long is refused by the rule for keys, and not here.
    maxParamLength: maxUrlBytes,
    caseSensitive: true,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
  },
  http: {
    headersTimeout: 10_000,
    connectionsCheckingInterval: 1000,
    maxHeaderSize: 16_384,
    insecureHTTPParser: false,
  },
  clientErrorHandler: sendClientError,
  logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
} satisfies FastifyHttpOptions<Server>

/** Looks at an error before it becomes an answer: may replace it, and set headers of the answer. */
export type OnError = (error: Error, exchange: Exchange) => Error

export interface EdgeOptions {
  /** What every answer carries. */
  readonly headers?: Readonly<Record<string, string>>
  /** Connections at a time; see {@link limitConnections}. */
  readonly maxConnections?: number
  /** Longest time in which a client takes nothing of an answer, in milliseconds. */
  readonly stalledMs?: number
  readonly addressOf?: AddressOf
  readonly requestIdOf?: RequestIdOf
  readonly log?: FastifyBaseLogger
  readonly onError?: OnError
  /** When a request arrived that has waited, by the clock of `performance`. */
  readonly arrivalOf?: (request: IncomingMessage) => number | undefined
  /** The form that errors of a request have, where it is another than usual. */
  readonly errorBodyOf?: (request: FastifyRequest) => ErrorBody | undefined
  /** Where a browser is sent in place of an error, if anywhere. */
  readonly pageInsteadOf?: (exchange: Exchange) => string | undefined
  /** For tests. */
  readonly bodyMemory?: BodyMemory
  /** In place of some of the usual ones; for tests. */
  readonly server?: FastifyHttpOptions<Server>
}

/** Opens a server with what holds for every route of the gateway. */
export function openEdge(options: EdgeOptions = {}): FastifyInstance {
  const { log, headers = apiHeaders, onError, errorBodyOf, pageInsteadOf } = options
  const { addressOf = clientAddressBehind([]), requestIdOf = requestIdsBehind([]) } = options

  const exchangeOf = ({ raw, id, routeOptions, params, query }: FastifyRequest): Exchange => {
    const values = { params: params ?? {}, query: query ?? {} } as UrlValues
    const route = routeOptions.url ?? 'none'
    return new Exchange({ raw, id, route, ...values, body: undefined }, addressOf)
  }

  const sendError = (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    // There is none of a URL that the router cannot read.
    const { exchange = exchangeOf(request) } = request
    const known = onError?.(error, exchange) ?? error
    const body = answerError(exchange, known, request.server.log, errorBodyOf?.(request))
    const page = pageInsteadOf?.(exchange)
    if (page !== undefined) exchange.redirect(page)
    // Fastify closes the connection after a body it has not read to its end, and then the sender may
    // not get to see this answer. Node.js reads the rest, for as long as a request may take.
    // To remove one that is not there would keep Node.js from ending a connection after its last request.
    const isOfFastify = reply.hasHeader('connection') && !reply.raw.hasHeader('connection')
    if (isOfFastify) reply.removeHeader('connection')
    sendAnswer(reply.header('cache-control', 'no-store'), exchange, body)
  }

  const settings: FastifyHttpOptions<Server> = {
    ...serverOptions,
    ...options.server,
    ...(log && { loggerInstance: log }),
    genReqId: requestIdOf,
    frameworkErrors: (error, request, reply) => sendError(error, request, reply.headers(headers)),
  }
  const app = Fastify(settings)
  app.server.maxHeadersCount = maxHeaders
  limitConnections(app, options.maxConnections)
  app.setErrorHandler(sendError)
  app.decorateRequest('exchange')
  app.addHook('onRequest', (request, reply, done) => {
    request.exchange = exchangeOf(request)
    request.exchange.arrivedAt = options.arrivalOf?.(request.raw) ?? request.exchange.arrivedAt
    reply.headers(headers).header('x-request-id', request.id)
    done()
  })
  app.addHook('onSend', ({ raw }, _reply, payload, done) => {
    endWhenStalled(raw.socket, options.stalledMs)
    done(null, payload)
  })
  addRequestEnd(app)
  app.endHooks.push(({ exchange }, _reply, status) => endSpan(exchange, status))
  addBodyParser(app)
  limitBodyMemory(app, options.bodyMemory)
  addRequestChecks(app)
  addUnmatched(app)
  return app
}
