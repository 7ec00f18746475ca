import type { IncomingMessage, ServerResponse } from 'node:http'
import { keyPattern } from '@svc/contract'
import type { MaybePromise } from '@svc/runtime'
import type { FastDistribution } from '@svc/telemetry'
import type { FastifyInstance } from 'fastify'
import { headWriter } from './answer-head.ts'
import { largeBytes } from './body-memory.ts'
import { compressedFromBytes } from './compression.ts'
import type { EdgeOptions } from './edge.ts'
import { answerError, type ErrorBody } from './errors.ts'
import { type AnswerBody, Exchange, type Received, sendAnswer, type TakeOver } from './exchange.ts'
import { cutExcess, faultOf } from './request-checks.ts'
import { clientClosedRequest } from './request-end.ts'
import type { DurationsOf } from './request-metrics.ts'
import { endSpan } from './request-span.ts'

/** A route that is served straight from the socket. */
export interface FastRoute {
  /** Its template. */
  readonly url: string
  /** The parameter that is its last segment, if it has any. */
  readonly keyParam: string | undefined
  readonly serve: (exchange: Exchange) => MaybePromise<AnswerBody>
  readonly errorBody: ErrorBody | undefined
}

type EdgeParts = Required<
  Pick<EdgeOptions, 'addressOf' | 'arrivalOf' | 'headers' | 'onError' | 'requestIdOf'>
>

export interface FastPathOptions extends EdgeParts {
  /** Of `POST` requests, by their URL; by `:` for a last segment that is a parameter. */
  readonly routes: ReadonlyMap<string, FastRoute>
  /** Where the durations of requests are measured. */
  readonly durationsOf?: DurationsOf | undefined
  /** Whether answers vary by origin. Requests that name one go to the router. */
  readonly hasCors: boolean
}

/** Where a request goes. */
interface Match {
  readonly route: FastRoute
  readonly params: Readonly<Record<string, string>>
}

const none = Object.freeze({})

/**
 * Serves the hot routes from the socket: Fastify takes longer for a request than an evaluation. A request
 * that is not usual goes to Fastify, whose route calls the same pipeline; so does such an answer: an error,
 * a long one, or one with headers of its own.
 */
export function openFastPath(app: FastifyInstance, options: FastPathOptions): void {
  const { routes, requestIdOf, addressOf, arrivalOf, onError, headers, hasCors, durationsOf } =
    options
  /** Durations of answers with 200, by the template of the route. */
  const durations = new Map<string, FastDistribution>()
  /** Answers that Fastify sends, and when their requests arrived. */
  const others = new WeakMap<IncomingMessage, { send: TakeOver; arrivedAt: number }>()
  const all = { ...headers, ...(hasCors && { vary: 'Origin' }), 'content-type': 'application/json' }
  const writeHead = headWriter(Object.entries(all).flat())
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onRequest', ({ raw, exchange }, reply, done) => {
    const other = others.get(raw)
    // An idle connection keeps its last request, and with it this answer and the body that it was made of.
    others.delete(raw)
    if (other === undefined) return done()
    exchange.arrivedAt = other.arrivedAt
    other.send(reply)
  })

  const measure = ({ route }: Received, arrivedAt: number): void => {
    if (durationsOf === undefined) return
    let ofRoute = durations.get(route)
    if (ofRoute === undefined) {
      ofRoute = durationsOf('POST', route, 200)
      durations.set(route, ofRoute)
    }
    ofRoute.record((performance.now() - arrivedAt) / 1000)
  }

  const measureLeft = (route: string, arrivedAt: number): void =>
    durationsOf?.('POST', route, clientClosedRequest).record((performance.now() - arrivedAt) / 1000)

  const finish = (response: ServerResponse, exchange: Exchange, body: AnswerBody): void => {
    const { status, headers, request, arrivedAt } = exchange
    const { raw, id } = request
    if (exchange.span !== undefined) endSpan(exchange, status)
    const isUsual = status === 200 && headers.length === 0 && !isClosing
    const length =
      isUsual && typeof body === 'string' ? Buffer.byteLength(body) : compressedFromBytes
    if (length < compressedFromBytes) {
      writeHead(response, id, length)
      response.end(body)
      measure(request, arrivedAt)
      return
    }
    const send: TakeOver = (reply) => sendAnswer(reply.header('x-request-id', id), exchange, body)
    others.set(raw, { send, arrivedAt })
    app.routing(raw, response)
  }

  const serve = (
    response: ServerResponse,
    { route, params }: Match,
    body: Buffer,
    arrivedAt: number,
  ): void => {
    const raw = response.req
    const received = { raw, id: requestIdOf(raw), route: route.url, params, query: none, body }
    const exchange = new Exchange(received, addressOf)
    exchange.arrivedAt = arrivedAt
    const send = (answer: AnswerBody): void => finish(response, exchange, answer)
    const fail = (error: Error): void =>
      send(answerError(exchange, onError(error, exchange), app.log, route.errorBody))
    try {
      const answer = route.serve(exchange)
      if (answer instanceof Promise) answer.then(send, fail)
      else send(answer)
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  app.server.removeAllListeners('request')
  app.server.on('request', (raw: IncomingMessage, response: ServerResponse) => {
    cutExcess(raw)
    const match = raw.method === 'POST' ? matchOf(routes, raw) : undefined
    if (match === undefined) {
      app.routing(raw, response)
      return
    }
    const arrivedAt = arrivalOf(raw) ?? performance.now()
    process.nextTick(readBody, raw, (body: Buffer | undefined) => {
      if (body !== undefined) serve(response, match, body, arrivedAt)
      else measureLeft(match.route.url, arrivedAt)
    })
  })
}

/** @returns nothing for a request that the router has to see, as it does those whose memory is bounded */
function matchOf(routes: FastPathOptions['routes'], raw: IncomingMessage): Match | undefined {
  const { url = '', headers } = raw
  const length = lengthOf(raw)
  if (!(length > 0 && length <= largeBytes) || headers.origin !== undefined) return undefined
  let route = routes.get(url)
  let params: Match['params'] = none
  if (route === undefined) {
    const start = url.lastIndexOf('/') + 1
    const key = url.slice(start)
    if (!keyPattern.test(key)) return undefined
    route = routes.get(`${url.slice(0, start)}:`)
    if (route?.keyParam !== undefined) params = { [route.keyParam]: key }
  }
  return route === undefined || faultOf(raw) !== null ? undefined : { route, params }
}

const lengthOf = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0)

/**
 * A body that arrived with its headers is read at once, in half the time that listening for it takes.
 * Nothing waits for the end, so Node.js keeps the request until the next one on the connection.
 *
 * @param done gets nothing when the client has left before
 */
function readBody(raw: IncomingMessage, done: (body: Buffer | undefined) => void): void {
  const length = lengthOf(raw)
  const body: unknown = raw.readableLength === length ? raw.read() : undefined
  if (Buffer.isBuffer(body)) {
    done(body)
    return
  }
  // Node.js has no more than `length` bytes, and refuses a body that ends before.
  const chunks: Buffer[] = []
  let received = 0
  raw.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    received += chunk.length
    if (received === length) done(Buffer.concat(chunks, length))
  })
  raw.once('close', () => {
    if (received < length) done(undefined)
  })
}
