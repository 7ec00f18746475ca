import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type Logger, LogThrottle, unavailable } from '@svc/runtime'
import { countRefused, type FastDistribution } from '@svc/telemetry'
import type { FastifyInstance } from 'fastify'
import { headWriter } from './answer-head.ts'
import { errorBody } from './errors.ts'
import { apiHeaders } from './headers.ts'
import { admit } from './pipelining.ts'
import type { RequestIdOf } from './request-ids.ts'
import type { DurationsOf } from './request-metrics.ts'
import { maxRetryAfter, RetryAfter } from './retry-after.ts'
import { ServingQueue, type ServingQueueOptions, type WaitLimit } from './serving-queue.ts'

export interface RouteLimit {
  /** Whether a request with these parameters in its URL has to be refused, which the caller then does. */
  refuses(params: Readonly<Record<string, string>>): boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a route calls; its requests are refused while as much is in flight as may be. */
    readonly limit?: RouteLimit | undefined
  }
}

/**
 * Most of the others call a service, wait for that again, and may still be refused by its limit: then it has to be soon.
 * Told apart by the end of the path, as this code knows no routes: to create a flag counts as a batch.
 */
const limits = {
  batches: { burstMs: 300, standingMs: 300 },
  others: { burstMs: 300, standingMs: 50 },
} as const

/**
 * Maximum size of a body that is answered in about the time of a refusal, in bytes. To refuse those would help
 * none: the number of connections bounds how many wait.
 */
const smallBytes = 2048

export interface LoadSheddingOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly requestIdOf: RequestIdOf
  readonly log: Pick<Logger, 'warn'>
  /** Where the durations of requests are measured. */
  readonly durationsOf?: DurationsOf | undefined
  readonly openQueue?: (options: ServingQueueOptions<ServerResponse>) => Queue
}

type Queue = Pick<ServingQueue<ServerResponse>, 'add' | 'noteConnection'>

const body = errorBody(unavailable('the gateway is overloaded, try again later'), 503, {})
const bodyBytes = Buffer.byteLength(body)

/** Refuses requests with 503 when there are too many, before anything else is done for them. */
export class LoadShedding {
  /** By the seconds that a client is asked to wait. */
  readonly #headWriters: readonly ReturnType<typeof headWriter>[]
  readonly #retryAfter = new RetryAfter()
  readonly #options: LoadSheddingOptions
  readonly #logThrottle = new LogThrottle()
  /** Those that have waited to be served. */
  readonly #arrivals = new WeakMap<IncomingMessage, number>()
  /** Durations of refusals, by the method. */
  readonly #durations = new Map<string, FastDistribution>()

  constructor(options: LoadSheddingOptions) {
    const { headers = apiHeaders } = options
    this.#headWriters = Array.from({ length: maxRetryAfter + 1 }, (_, seconds) => {
      const more = { 'content-type': 'application/json', 'retry-after': String(seconds) }
      return headWriter(Object.entries({ ...headers, ...more }).flat(), 503)
    })
    this.#options = options
  }

  /** @returns when a request arrived that has waited to be served, by the clock of `performance` */
  arrivalOf(request: IncomingMessage): number | undefined {
    return this.#arrivals.get(request)
  }

  /**
   * Serves in turns of the event loop, and refuses when it cannot keep up. Called when the server has its listeners.
   * Probes are always answered.
   */
  shed(server: Server): void {
    const { durationsOf, openQueue = (parts) => new ServingQueue(parts) } = this.#options
    const listeners = server.listeners('request')
    const serve = (response: ServerResponse, arrivedAt?: number): void => {
      const { req: request } = response
      if (arrivedAt !== undefined) this.#arrivals.set(request, arrivedAt)
      // Nothing is done for a client that has left.
      if (request.socket.destroyed) return
      for (const listener of listeners) listener.call(server, request, response)
    }
    const refuse = (response: ServerResponse, arrivedAt: number): void => {
      this.#refuse(response)
      const tookMs = performance.now() - arrivedAt
      if (durationsOf !== undefined) this.#durationOf(response, durationsOf).record(tookMs / 1000)
    }
    const queue = openQueue({ serve, refuse })
    server.on('connection', () => queue.noteConnection())
    server.removeAllListeners('request')
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (!admit(response)) return
      if (isProbe(request)) {
        serve(response)
        return
      }
      this.#retryAfter.noteArrived()
      if (!queue.add(response, limitOf(request))) this.#retryAfter.noteRefused()
    })
  }

  /** Refuses requests of routes whose limit is full, before their bodies are read. */
  guardRoutes(app: FastifyInstance): void {
    app.addHook('onRequest', ({ routeOptions, params }, reply, done) => {
      const { limit } = routeOptions.config
      if (limit?.refuses(params as Readonly<Record<string, string>>) !== true) {
        done()
        return
      }
      reply.hijack()
      this.#retryAfter.noteRefused()
      this.#refuse(reply.raw)
    })
  }

  #refuse(response: ServerResponse): void {
    const { log, requestIdOf } = this.#options
    countRefused('overload')
    if (this.#logThrottle.shouldLog('overload')) log.warn('overloaded: requests are refused')
    response.statusCode = 503
    const writeHead = this.#headWriters[this.#retryAfter.seconds()]
    writeHead?.(response, requestIdOf(response.req), bodyBytes)
    response.end(body)
  }

  #durationOf({ req: { method = '' } }: ServerResponse, durationsOf: DurationsOf) {
    const duration = this.#durations.get(method) ?? durationsOf(method, undefined, 503)
    this.#durations.set(method, duration)
    return duration
  }
}

/**
 * @returns none for what is an evaluation of one flag, most likely: what else has a small body is answered by a service, and
 *   is rare
 */
function limitOf({ method, url = '', headers }: IncomingMessage): WaitLimit | undefined {
  if (method !== 'POST') return limits.others
  const [path = ''] = url.split('?', 1)
  if (path.endsWith('/flags') || path.endsWith('/batch')) return limits.batches
  return Number(headers['content-length']) <= smallBytes ? undefined : limits.others
}

const probes = new Set(['/readyz', '/healthz', '/health', '/metrics'])

/** Also what a browser asks before it sends a request: the request itself may be admitted. */
function isProbe({ method, url = '' }: IncomingMessage): boolean {
  return method === 'OPTIONS' || probes.has(url.split('?', 1)[0] ?? '')
}
