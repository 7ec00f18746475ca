import { createServer } from 'node:http'
import { AppError, type Running } from '@svc/runtime'

/** Whether a process is ready to serve. */
export interface Readiness {
  readonly isReady: boolean
  /** State of each dependency, for the operator. */
  readonly parts?: Readonly<Record<string, unknown>> | undefined
}

/** Maximum connections: probes are a handful of clients, and none of them keeps its connection. */
const maxConnections = 32

/** Request timeout, in milliseconds: a probe on the same machine takes one. */
const requestLimitMs = 2000

/**
 * Serves health over HTTP on a separate port, without credentials: `/healthz` answers 200 while the process
 * runs, `/readyz` 200 when it is ready and 503 otherwise.
 *
 * @param address `host:port`; port 0 takes a free one
 * @throws {AppError} `failed_precondition` when it cannot listen there
 */
export async function startHealth(
  address: string,
  readiness: () => Readiness,
): Promise<Running & { readonly port: number }> {
  const limits = {
    requestTimeout: requestLimitMs,
    headersTimeout: requestLimitMs,
    connectionsCheckingInterval: requestLimitMs / 2,
    maxHeaderSize: 4096,
  }
  const server = createServer(limits, ({ method = '', url = '' }, response) => {
    const [status, answer] = answerTo(method, url, readiness)
    const body = `${JSON.stringify(answer)}\n`
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    // A probe every ten seconds needs no connection in between.
    response.writeHead(status, { ...headers, connection: 'close' }).end(body)
  })
  server.maxConnections = maxConnections
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(unusable(address, cause)))
    server.listen(hostAndPort(address), resolve)
  })
  const bound = server.address()
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answerTo(method: string, url: string, readiness: () => Readiness): [number, object] {
  const [path] = url.split('?')
  if (path !== '/healthz' && path !== '/readyz') {
    return [404, { message: 'not found: there are /healthz and /readyz' }]
  }
  if (method !== 'GET' && method !== 'HEAD') return [405, { message: 'use GET' }]
  if (path === '/healthz') return [200, { status: 'ok' }]
  const { isReady, parts } = readiness()
  return [isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', parts }]
}

/** @param address `host:port`, with IPv6 in brackets */
function hostAndPort(address: string): { host: string; port: number } {
  const end = address.lastIndexOf(':')
  const host = address.slice(0, end).replace(/^\[(.*)\]$/, '$1')
  return { host, port: Number(address.slice(end + 1)) }
}

function unusable(address: string, cause: Error): AppError {
  const message = `cannot listen on ${address} for health: set health.listen to another address, or leave it out`
  return new AppError('failed_precondition', 'health_unusable', message, { cause })
}
