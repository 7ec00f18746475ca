import type { Server } from 'node:http'
import type { FastifyHttpOptions } from 'fastify'
import { maxBodyBytes } from './body.ts'
import { sendClientError } from './client-errors.ts'
import { frameworkErrorSender } from './reply.ts'
import { maxUrlBytes } from './request-checks.ts'

/**
 * How long a route may take that has to ask others, in milliseconds. Counts from the first byte, so
 * it is the time to arrive and, after that, 5 s for an answer. Routes that answer from memory do
 * without: it takes a timer and an object of its own for each request.
 */
export const handlerTimeout = 20_000

/** How the gateway listens; every limit and wait of the HTTP edge that Fastify and Node.js keep. */
export const serverOptions = {
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
  frameworkErrors: frameworkErrorSender(),
  clientErrorHandler: sendClientError,
} satisfies FastifyHttpOptions<Server>
