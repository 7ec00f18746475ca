import { createServer, type ServerResponse } from 'node:http'
import { AppError, type Logger, LogThrottle, type Running } from '@svc/runtime'
import { contentType } from '@svc/telemetry'

/** Whether a process is ready to serve. */
export interface Readiness {
  readonly isReady: boolean
  /** Whether it drains or closes. */
  readonly isEnding?: boolean
  /** State of each dependency, for the operator. */
  readonly parts?: Readonly<Record<string, unknown>> | undefined
}

export interface MonitoringOptions {
  /** A name or an address of an interface; `::` is all of them, also where there is no IPv6. */
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly readiness: () => Readiness
  readonly log: Pick<Logger, 'warn'>
  /** The text of the metrics; left out where they are off. */
  readonly scrape?: (() => Promise<string>) | undefined
  /** Maximum age of a connection, in milliseconds. */
  readonly connectionLimitMs?: number
}

/** Maximum connections: probes and scrapers are a handful of clients, and none of them keeps its connection. */
const maxConnections = 32

/** Request timeout, in milliseconds: a probe on the same machine takes one. */
const requestLimitMs = 2000

/** Maximum age of a connection, in milliseconds: Prometheus waits 10 s for an answer by default. */
const defaultConnectionLimitMs = 10_000

/**
 * Serves health and metrics over HTTP on a port of its own, without credentials: `/healthz` answers 200 while
 * the process runs, `/readyz` 200 when it is ready and 503 otherwise, `/metrics` with the text of Prometheus.
 *
 * @throws {AppError} `failed_precondition` when it cannot listen there
 */
export async function startMonitoring(
  options: MonitoringOptions,
): Promise<Running & { readonly port: number }> {
  const { host, port, log, connectionLimitMs = defaultConnectionLimitMs } = options
  const limits = {
    requestTimeout: requestLimitMs,
    headersTimeout: requestLimitMs,
    connectionsCheckingInterval: requestLimitMs / 2,
    maxHeaderSize: 4096,
  }
  const server = createServer(limits, ({ method = '', url = '' }, response) => {
    const [path = ''] = url.split('?')
    if (!isPath(path)) {
      sendJson(response, 404, { message: `not found: there are ${paths.join(', ')}` })
    } else if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD')
      sendJson(response, 405, { message: 'use GET' })
    } else answers[path](response, options)
  })
  server.maxConnections = maxConnections
  server.on('connection', (socket) => {
    const limit = setTimeout(() => socket.destroy(), connectionLimitMs)
    socket.once('close', () => clearTimeout(limit))
  })
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: Error) => reject(unusable(options, cause))
    server.once('error', fail)
    // Without a host Node.js takes all interfaces of both families, or of the one that there is.
    server.listen({ port, ...(host !== '::' && { host }) }, () => {
      server.off('error', fail)
      resolve()
    })
  })
  const throttle = new LogThrottle()
  server.on('error', (err) => {
    if (throttle.shouldLog('error'))
      log.warn({ err }, 'the port of health and metrics has an error')
  })
  const bound = server.address()
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const paths = ['/healthz', '/readyz', '/metrics'] as const
type Path = (typeof paths)[number]

function isPath(path: string): path is Path {
  return paths.some((one) => one === path)
}

const answers: Readonly<
  Record<Path, (response: ServerResponse, options: MonitoringOptions) => void>
> = {
  '/healthz': (response) => sendJson(response, 200, { status: 'ok' }),

  '/readyz'(response, { readiness }) {
    const { isReady, isEnding = false, parts } = readiness()
    const status = isReady ? 'ready' : isEnding ? 'draining' : 'not ready'
    sendJson(response, isReady ? 200 : 503, { status, parts })
  },

  '/metrics'(response, { scrape }) {
    if (scrape === undefined) {
      sendJson(response, 404, { message: 'not found: metrics.enabled is false' })
      return
    }
    const fail = () => sendJson(response, 500, { message: 'the metrics cannot be read' })
    scrape().then((text) => send(response, 200, contentType, text), fail)
  },
}

function sendJson(response: ServerResponse, status: number, answer: object): void {
  send(response, status, 'application/json', `${JSON.stringify(answer)}\n`)
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  const headers = { 'content-type': type, 'content-length': Buffer.byteLength(text) }
  // Requests are seconds apart and need no connection in between.
  response.writeHead(status, { ...headers, connection: 'close' }).end(text)
}

function unusable({ host, port }: MonitoringOptions, cause: Error): AppError {
  const message = `cannot listen on ${host}:${port} for health and metrics: set metrics.port to another`
  return new AppError('failed_precondition', 'monitoring_unusable', message, { cause })
}
