import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type Logger, LogThrottle, unavailable } from '@svc/runtime'
import { countRefused, type FastDistribution } from '@svc/telemetry'
import { headWriter } from './answer-head.ts'
import { errorBody } from './errors.ts'
import { apiHeaders } from './headers.ts'
import { admit as admitAhead } from './pipelining.ts'
import { clientClosedRequest } from './request-end.ts'
import type { RequestIdOf } from './request-ids.ts'
import type { DurationsOf } from './request-metrics.ts'
import { maxRetryAfter, RetryAfter } from './retry-after.ts'
import type { CallLimit, RouteLimits } from './route-limits.ts'
import { ServingQueue, type ServingQueueOptions } from './serving-queue.ts'

/** A request with its answer, and the limit of what it calls. */
interface LimitedRequest {
  readonly response: ServerResponse
  readonly limit?: CallLimit | undefined
}

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
  /** Of what routes call, if anything. */
  readonly limits?: Pick<RouteLimits, 'of'>
  readonly openQueue?: (options: ServingQueueOptions<LimitedRequest>) => Queue
}

type Queue = Pick<ServingQueue<LimitedRequest>, 'add' | 'noteConnection' | 'refuse'>

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
  /** Durations of what is not served, by the status and the method. */
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
   * Serves in turns of the event loop, and refuses when it cannot keep up, or what a route calls cannot. Nothing is done
   * for a client that has left meanwhile. Called when the server has its listeners. Probes are always answered.
   */
  shed(server: Server): void {
    const { limits, openQueue = (parts) => new ServingQueue(parts) } = this.#options
    const listeners = server.listeners('request')
    const serve = ({ response, limit }: LimitedRequest, arrivedAt?: number): void => {
      const { req: request } = response
      if (arrivedAt !== undefined) {
        limit?.endWait()
        this.#arrivals.set(request, arrivedAt)
      }
      if (request.socket.destroyed) {
        // Without a wait it may be a probe, which is in no durations.
        if (arrivedAt !== undefined) this.#measure(request, clientClosedRequest, arrivedAt)
        return
      }
      for (const listener of listeners) listener.call(server, request, response)
    }
    const refuse = ({ response }: LimitedRequest, arrivedAt: number): void => {
      this.#refuse(response)
      this.#measure(response.req, 503, arrivedAt)
    }
    const queue = openQueue({ serve, refuse })
    const admit = (one: LimitedRequest): boolean => {
      const { response, limit } = one
      if (limit?.refuses()) {
        queue.refuse(one)
        return false
      }
      const fate = queue.add(one, isRefusable(response.req))
      if (fate === 'waits') limit?.beginWait()
      return fate !== 'refused'
    }
    server.on('connection', () => queue.noteConnection())
    server.removeAllListeners('request')
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (!admitAhead(response)) return
      if (isProbe(request)) {
        serve({ response })
        return
      }
      this.#retryAfter.noteArrived()
      if (!admit({ response, limit: limits?.of(request) })) this.#retryAfter.noteRefused()
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

  #measure({ method = '' }: IncomingMessage, status: number, arrivedAt: number): void {
    const { durationsOf } = this.#options
    if (durationsOf === undefined) return
    const key = `${status} ${method}`
    const duration = this.#durations.get(key) ?? durationsOf(method, undefined, status)
    this.#durations.set(key, duration)
    duration.record((performance.now() - arrivedAt) / 1000)
  }
}

/** All but what is an evaluation of one flag, most likely: what else has a small body is rare, or has a limit. */
function isRefusable({ method, url = '', headers }: IncomingMessage): boolean {
  if (method !== 'POST') return true
  const [path = ''] = url.split('?', 1)
  if (path.endsWith('/flags') || path.endsWith('/batch')) return true
  return !(Number(headers['content-length']) <= smallBytes)
}

const probes = new Set(['/readyz', '/healthz', '/health', '/metrics'])

/** Also what a browser asks before it sends a request: the request itself may be admitted. */
function isProbe({ method, url = '' }: IncomingMessage): boolean {
  return method === 'OPTIONS' || probes.has(url.split('?', 1)[0] ?? '')
}
