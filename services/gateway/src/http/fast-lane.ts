import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { keyPattern } from '../transcoding/namespaces.ts'
import { handBack, maxBodyBytes } from './body.ts'
import { compressedFromBytes } from './compression.ts'
import { apiHeaders } from './headers.ts'

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
}

/**
 * Answers the usual request to a hot route before Fastify sees it: what Fastify does for each
 * request takes more time than an evaluation. Whatever is not usual goes on to Fastify, with its
 * body, so that every refusal and every other case is in one place, the route.
 */
export function openFastLane(app: FastifyInstance, { answers, hasCors }: FastLaneOptions): void {
  const { server } = app
  const constantHeaders = [
    ...Object.entries(apiHeaders).flat(),
    ...(hasCors ? ['vary', 'Origin'] : []),
    'content-type',
    'application/json',
  ]
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })

  /** @returns whether it has answered */
  const isAnswered = (
    answer: QuickAnswer,
    request: Pick<QuickRequest, 'raw' | 'body' | 'key'>,
    response: ServerResponse,
  ): boolean => {
    // A connection has to be closed then, which Fastify sees to.
    if (isClosing) return false
    const id = randomUUID()
    const headers = [...constantHeaders, 'x-request-id', id]
    const text = answerOf(answer, { ...request, id, headers })
    if (text === undefined) return false
    const length = Buffer.byteLength(text)
    if (length >= compressedFromBytes && 'accept-encoding' in request.raw.headers) return false
    headers.push('content-length', String(length))
    response.writeHead(200, headers)
    response.end(text)
    return true
  }

  server.removeAllListeners('request')
  server.on('request', (raw: IncomingMessage, response: ServerResponse) => {
    const { answer, key = '' } = raw.method === 'POST' ? find(answers, raw.url ?? '') : nobody
    const length = answer === undefined ? 0 : usualLength(raw)
    if (answer === undefined || length === 0) {
      app.routing(raw, response)
      return
    }
    readBody(raw, length, (body) => {
      if (isAnswered(answer, { raw, body, key }, response)) return
      handBack(raw, body)
      app.routing(raw, response)
    })
  })
}

interface Found {
  readonly answer?: QuickAnswer | undefined
  readonly key?: string
}

const nobody: Found = {}

function find(answers: FastLaneOptions['answers'], url: string): Found {
  const answer = answers.get(url)
  if (answer !== undefined) return { answer }
  const start = url.lastIndexOf('/') + 1
  const key = url.slice(start)
  return keyPattern.test(key) ? { answer: answers.get(`${url.slice(0, start)}:key`), key } : nobody
}

/**
 * How long the body is of a request that clients usually send.
 *
 * @returns 0 for every other request
 */
function usualLength({ headers }: IncomingMessage): number {
  const length = Number(headers['content-length'] ?? 0)
  const isUsual =
    length <= maxBodyBytes &&
    headers.origin === undefined &&
    headers['content-encoding'] === undefined &&
    // What is long will have a long answer, which is then compressed.
    (headers['accept-encoding'] === undefined || length < compressedFromBytes)
  return isUsual ? length : 0
}

/** Node.js has read no more than `length` bytes of it, and refuses a body that ends before. */
function readBody(raw: IncomingMessage, length: number, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  let received = 0
  raw.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    received += chunk.length
    if (received === length) done(chunk.length === length ? chunk : Buffer.concat(chunks, length))
  })
}

/** What is wrong with a request is said by the route. */
function answerOf(answer: QuickAnswer, request: QuickRequest): string | undefined {
  try {
    return answer(request)
  } catch {
    return undefined
  }
}
