import type { IncomingMessage, ServerResponse } from 'node:http'
import { keyPattern } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { handBack, maxBodyBytes } from './body.ts'
import { compressedFromBytes } from './compression.ts'
import { cutExcess, hasTooManyHeaders } from './request-checks.ts'
import type { RequestIdOf } from './request-ids.ts'

/** A request that may be answered at once. */
export interface QuickRequest {
  readonly raw: IncomingMessage
  readonly body: Buffer
  /** What the URL has in the place of `:key`; empty when it has no such place. */
  readonly key: string
  /** Of this request; the answer carries it as `X-Request-Id`. */
  readonly id: string
  /** What the answer carries besides: names and values in turn, to be added to. */
  readonly headers: string[]
}

/**
 * Answers with status 200 and this JSON; or not, by returning nothing or by throwing anything. Then
 * the route that Fastify has for the same URL does, so this must not have changed anything.
 */
export type QuickAnswer = (request: QuickRequest) => string | undefined

export interface FastLaneOptions {
  /** By the URL of a `POST`, exactly; or with `:key` for its last segment. */
  readonly answers: ReadonlyMap<string, QuickAnswer>
  /** Whether pages of other origins are answered, too; not here. */
  readonly hasCors: boolean
  /** What every answer carries. */
  readonly headers: Readonly<Record<string, string>>
  readonly requestIdOf: RequestIdOf
}

/**
 * Answers the usual request to a hot route before Fastify sees it: what Fastify does for each
 * request takes more time than an evaluation. Whatever is not usual goes on to Fastify, with its
 * body, so that every refusal and every other case is in one place, the route.
 */
export function openFastLane(
  app: FastifyInstance,
  { answers, hasCors, headers: constant, requestIdOf }: FastLaneOptions,
): void {
  const { server } = app
  const usualHeaders = [
    ...Object.entries(constant).flat(),
    ...(hasCors ? ['vary', 'Origin'] : []),
    ...['content-type', 'application/json'],
    ...['x-request-id', ''],
    ...['content-length', ''],
  ]
  const idAt = usualHeaders.length - 3
  const lengthAt = usualHeaders.length - 1
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })

  const answer = ({ raw, response, quickAnswer, key }: Arrival, body: Buffer): void => {
    const id = requestIdOf(raw)
    const headers = usualHeaders.slice()
    headers[idAt] = id
    // A connection has to be closed when the server is, which Fastify sees to.
    const text = isClosing ? undefined : tryAnswer(quickAnswer, { raw, body, key, id, headers })
    const length = text === undefined ? 0 : Buffer.byteLength(text)
    const isCompressed = length >= compressedFromBytes && 'accept-encoding' in raw.headers
    if (text === undefined || isCompressed) {
      handBack(raw, body)
      app.routing(raw, response)
      return
    }
    headers[lengthAt] = String(length)
    response.writeHead(200, headers)
    response.end(text)
  }

  server.removeAllListeners('request')
  server.on('request', (raw: IncomingMessage, response: ServerResponse) => {
    const arrival = raw.method === 'POST' ? toArrival(answers, raw, response) : undefined
    if (arrival === undefined) {
      cutExcess(raw)
      app.routing(raw, response)
    } else process.nextTick(readBody, arrival, answer)
  })
}

/** A request that has come as far as its body. */
interface Arrival {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly quickAnswer: QuickAnswer
  readonly key: string
  readonly length: number
}

/** @returns nothing for a request that is not usual or has no quick answer */
function toArrival(
  answers: FastLaneOptions['answers'],
  raw: IncomingMessage,
  response: ServerResponse,
): Arrival | undefined {
  const { url = '' } = raw
  let key = ''
  let quickAnswer = answers.get(url)
  if (quickAnswer === undefined) {
    const start = url.lastIndexOf('/') + 1
    key = url.slice(start)
    if (keyPattern.test(key)) quickAnswer = answers.get(`${url.slice(0, start)}:key`)
  }
  const length = quickAnswer === undefined ? 0 : usualLength(raw)
  return quickAnswer === undefined || length === 0
    ? undefined
    : { raw, response, quickAnswer, key, length }
}

/**
 * How long the body is of a request that clients usually send.
 *
 * @returns 0 for every other request
 */
function usualLength(raw: IncomingMessage): number {
  const { headers } = raw
  const length = Number(headers['content-length'] ?? 0)
  const isUsual =
    length <= maxBodyBytes &&
    headers.origin === undefined &&
    headers['content-encoding'] === undefined &&
    !hasTooManyHeaders(raw) &&
    // What is long will have a long answer, which is then compressed.
    (headers['accept-encoding'] === undefined || length < compressedFromBytes)
  return isUsual ? length : 0
}

/**
 * Most bodies arrive with their headers. Then all is there as soon as Node.js is done with what it has
 * received, and is read at once, which takes half of what it takes to listen for it. Nobody waits for
 * the end, so Node.js keeps the request until the next one comes by the same connection.
 */
function readBody(arrival: Arrival, done: (arrival: Arrival, body: Buffer) => void): void {
  const { raw, length } = arrival
  const body: unknown = raw.readableLength === length ? raw.read() : undefined
  if (Buffer.isBuffer(body)) {
    done(arrival, body)
    return
  }
  // Node.js has no more than `length` bytes, and refuses a body that ends before.
  const chunks: Buffer[] = []
  let received = 0
  raw.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    received += chunk.length
    if (received === length) done(arrival, Buffer.concat(chunks, length))
  })
}

/** What is wrong with a request is said by the route. */
function tryAnswer(quickAnswer: QuickAnswer, request: QuickRequest): string | undefined {
  try {
    return quickAnswer(request)
  } catch {
    return undefined
  }
}
