import type { IncomingMessage, ServerResponse } from 'node:http'
import { keyPattern } from '@svc/contract'
import type { MaybePromise } from '@svc/runtime'
import type { FastifyInstance } from 'fastify'
import { maxBodyBytes } from './body.ts'
import { compressedFromBytes } from './compression.ts'
import { endWhenStalled } from './connections.ts'
import type { EdgeOptions } from './edge.ts'
import { answerError, type ErrorBody } from './errors.ts'
import { type AnswerBody, Exchange, sendAnswer, type TakeOver } from './exchange.ts'
import { cutExcess, faultOf } from './request-checks.ts'

/** A route that is served straight from the socket. */
export interface FastRoute {
  /** Its template. */
  readonly url: string
  /** The parameter that is its last segment, if it has any. */
  readonly keyParam: string | undefined
  readonly serve: (exchange: Exchange) => MaybePromise<AnswerBody>
  readonly errorBody: ErrorBody | undefined
}

type EdgeParts = Required<Pick<EdgeOptions, 'addressOf' | 'headers' | 'onError' | 'requestIdOf'>>

export interface FastPathOptions extends EdgeParts {
  /** Of `POST` requests, by their URL; by `:` for a last segment that is a parameter. */
  readonly routes: ReadonlyMap<string, FastRoute>
  /** Whether answers vary by origin. Requests that name one go to the router. */
  readonly hasCors: boolean
}

/** A request that has come as far as its body. */
interface PendingRequest {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly route: FastRoute
  readonly params: Readonly<Record<string, string>>
  readonly length: number
}

/** Less than this is taken by the system, whatever the client does. */
const stallingBytes = 64 * 1024

const none = Object.freeze({})

/**
 * Serves the hot routes from the socket: Fastify takes longer for a request than an evaluation. What is
 * not usual, or to be refused, goes to Fastify, whose route calls the same pipeline.
 */
export function openFastPath(app: FastifyInstance, options: FastPathOptions): void {
  const { routes, requestIdOf, addressOf, onError } = options
  /** Long answers, which Fastify compresses. */
  const longAnswers = new WeakMap<IncomingMessage, TakeOver>()
  const writeAnswer = answerWriter(options)
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onRequest', ({ raw }, reply, done) => {
    const send = longAnswers.get(raw)
    if (send === undefined) done()
    else send(reply)
  })

  const finish = (response: ServerResponse, exchange: Exchange, body: AnswerBody): void => {
    const { raw, id } = exchange.request
    const length = isBytes(body) ? Buffer.byteLength(body) : 0
    if (length >= compressedFromBytes && 'accept-encoding' in raw.headers) {
      longAnswers.set(raw, (reply) => sendAnswer(reply.header('x-request-id', id), exchange, body))
      app.routing(raw, response)
      return
    }
    if (length >= stallingBytes) endWhenStalled(raw.socket)
    if (isClosing) response.setHeader('connection', 'close')
    writeAnswer(response, exchange, body, length)
  }

  const fail = ({ response, route }: PendingRequest, exchange: Exchange, thrown: unknown): void => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    const body = answerError(exchange, onError(error, exchange), app.log, route.errorBody)
    finish(response, exchange, body)
  }

  const serve = (pending: PendingRequest, body: Buffer): void => {
    const { raw, response, route, params } = pending
    const received = { raw, id: requestIdOf(raw), route: route.url, params, query: none, body }
    const exchange = new Exchange(received, addressOf)
    try {
      const answer = route.serve(exchange)
      if (answer instanceof Promise) {
        answer.then(
          (later) => finish(response, exchange, later),
          (error: unknown) => fail(pending, exchange, error),
        )
      } else finish(response, exchange, answer)
    } catch (error) {
      fail(pending, exchange, error)
    }
  }

  app.server.removeAllListeners('request')
  app.server.on('request', (raw: IncomingMessage, response: ServerResponse) => {
    cutExcess(raw)
    const pending = raw.method === 'POST' ? toPending(routes, raw, response) : undefined
    if (pending === undefined) app.routing(raw, response)
    else process.nextTick(readBody, pending, serve)
  })
}

/** Makes what writes an answer to the raw response, with the headers of every answer. */
function answerWriter({ headers, hasCors }: FastPathOptions) {
  const constant = Object.entries(headers).flat()
  return (
    response: ServerResponse,
    { status, headers: own, request: { id } }: Exchange,
    body: AnswerBody,
    length: number,
  ): void => {
    const head = [...constant, 'x-request-id', id]
    let vary = hasCors ? 'Origin' : ''
    for (let i = 0; i < own.length; i += 2) {
      const [name = '', value = ''] = [own[i], own[i + 1]]
      if (name === 'vary') vary += vary === '' ? value : `, ${value}`
      else head.push(name, value)
    }
    if (vary !== '') head.push('vary', vary)
    if (isBytes(body)) {
      head.push('content-type', 'application/json', 'content-length', String(length))
    }
    response.writeHead(status, head)
    response.end(isBytes(body) ? body : undefined)
  }
}

function isBytes(body: AnswerBody): body is string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body)
}

/** @returns nothing for a request that the router has to see */
function toPending(
  routes: FastPathOptions['routes'],
  raw: IncomingMessage,
  response: ServerResponse,
): PendingRequest | undefined {
  const { url = '', headers } = raw
  const length = Number(headers['content-length'] ?? 0)
  if (!(length > 0 && length <= maxBodyBytes) || headers.origin !== undefined) return undefined
  let route = routes.get(url)
  let params: PendingRequest['params'] = none
  if (route === undefined) {
    const start = url.lastIndexOf('/') + 1
    const key = url.slice(start)
    if (!keyPattern.test(key)) return undefined
    route = routes.get(`${url.slice(0, start)}:`)
    if (route?.keyParam !== undefined) params = { [route.keyParam]: key }
  }
  if (route === undefined || faultOf(raw) !== null) return undefined
  return { raw, response, route, params, length }
}

/**
 * A body that arrived with its headers is read at once, in half the time that listening for it takes.
 * Nothing waits for the end, so Node.js keeps the request until the next one on the connection.
 */
function readBody(
  pending: PendingRequest,
  done: (pending: PendingRequest, body: Buffer) => void,
): void {
  const { raw, length } = pending
  const body: unknown = raw.readableLength === length ? raw.read() : undefined
  if (Buffer.isBuffer(body)) {
    done(pending, body)
    return
  }
  // Node.js has no more than `length` bytes, and refuses a body that ends before.
  const chunks: Buffer[] = []
  let received = 0
  raw.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    received += chunk.length
    if (received === length) done(pending, Buffer.concat(chunks, length))
  })
}
