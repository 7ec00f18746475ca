import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type Logger, LogThrottle, unavailable } from '@svc/runtime'
import { countRefused } from '@svc/telemetry'
import { headWriter } from './answer-head.ts'
import { errorBody } from './errors.ts'
import { apiHeaders } from './headers.ts'
import type { RequestIdOf } from './request-ids.ts'

/**
 * Longest that the requests of one turn of the event loop may take before further ones are refused, in
 * milliseconds. A request waits for the turn before its own, so a refusal comes within twice that.
 */
const turnLimitMs = 20

/** Longest that the loop may work before anything is refused, in milliseconds: a burst is served whole. */
const burstMs = 400

/** Shortest wait of the loop for something to do that ends a burst, in milliseconds, and as a share of the burst. */
const pauseMs = 1
const pauseShare = 0.005

/**
 * Maximum size of a body that is answered in about the time of a refusal, in bytes. To refuse those would help
 * none: the number of connections bounds how many wait.
 */
const smallBytes = 2048

/** Where the event loop is; see {@link currentLoop}. Times are in milliseconds. */
export interface LoopClock {
  now(): number
  /** Time that the loop has waited since the process began. */
  idle(): number
  /** Processor time of the thread. */
  cpu(): number
  /** Calls back when the turn ends. */
  onTurnEnd(callback: () => void): void
}

const currentLoop: LoopClock = {
  now: () => performance.now(),
  idle: () => performance.eventLoopUtilization().idle,
  cpu() {
    // Node.js 20 has only that of the process, which is a little more.
    const { user, system } = (process.threadCpuUsage ?? process.cpuUsage).call(process)
    return (user + system) / 1000
  },
  onTurnEnd: setImmediate,
}

/**
 * Says when the event loop cannot keep up: it has worked for {@link burstMs} without a pause, and the requests of
 * this turn have taken their time. Both are processor time: a thread that waits for the processor is slow, and
 * not overloaded.
 */
export class TurnLimit {
  readonly #loop: LoopClock
  readonly #endTurn = () => {
    this.#isInTurn = false
  }
  #isInTurn = false
  #beganAt = 0
  /** Processor time at the begin of this turn. */
  #cpu = 0
  /** The same at the begin of the burst that the turn belongs to, and how long the loop had waited by then. */
  #burst = { cpu: 0, idle: 0 }

  constructor(loop: LoopClock = currentLoop) {
    this.#loop = loop
  }

  /** Called for each request that arrives, before any work for it. */
  admits(): boolean {
    const now = this.#loop.now()
    if (!this.#isInTurn) this.#beginTurn(now)
    if (now - this.#beganAt < turnLimitMs) return true
    const cpu = this.#loop.cpu()
    return cpu - this.#burst.cpu < burstMs || cpu - this.#cpu < turnLimitMs
  }

  #beginTurn(now: number): void {
    const idle = this.#loop.idle()
    const cpu = this.#loop.cpu()
    const pausedMs = idle - this.#burst.idle
    const isRested = pausedMs >= Math.max(pauseMs, pauseShare * (cpu - this.#burst.cpu))
    if (isRested) this.#burst = { cpu, idle }
    this.#cpu = cpu
    this.#beganAt = now
    this.#isInTurn = true
    this.#loop.onTurnEnd(this.#endTurn)
  }
}

export interface LoadSheddingOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly requestIdOf: RequestIdOf
  readonly log: Pick<Logger, 'warn'>
  readonly limit?: Pick<TurnLimit, 'admits'>
}

const body = errorBody(unavailable('the gateway is overloaded, try again in a second'), 503, {})
const bodyBytes = Buffer.byteLength(body)

/**
 * Refuses requests with 503 while the event loop cannot keep up, before anything else is done for them. Called
 * when the server has its listeners. Probes are always answered.
 */
export function shedLoad(server: Server, options: LoadSheddingOptions): void {
  const { headers = apiHeaders, requestIdOf, log, limit = new TurnLimit() } = options
  const more = { 'content-type': 'application/json', 'retry-after': '1' }
  const writeHead = headWriter(Object.entries({ ...headers, ...more }).flat(), 503)
  const logThrottle = new LogThrottle()
  const serve = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (limit.admits() || isSmall(request) || isProbe(request)) {
      for (const listener of serve) listener.call(server, request, response)
      return
    }
    countRefused('overload')
    if (logThrottle.shouldLog('overload')) log.warn('overloaded: requests are refused')
    writeHead(response, requestIdOf(request), bodyBytes)
    response.end(body)
  })
}

/** An evaluation, most likely: what else has a small body is answered by a service, and is rare. */
function isSmall({ method, url = '', headers }: IncomingMessage): boolean {
  const [path = ''] = url.split('?', 1)
  const hasMany = path.endsWith('/flags') || path.endsWith('/batch')
  return method === 'POST' && !hasMany && Number(headers['content-length']) <= smallBytes
}

const probes = new Set(['/readyz', '/healthz', '/health', '/metrics'])

/** Also what a browser asks before it sends a request: the request itself may be admitted. */
function isProbe({ method, url = '' }: IncomingMessage): boolean {
  return method === 'OPTIONS' || probes.has(url.split('?', 1)[0] ?? '')
}
