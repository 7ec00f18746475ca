import { contentType, type FastDistribution, fastHistogram } from '@svc/telemetry'
import type { FastifyInstance } from 'fastify'

/** Others are one: Node.js accepts some thirty. */
const knownMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

/** @returns the distribution of the durations of a route's answers with one status */
export type DurationsOf = (
  method: string,
  route: string | undefined,
  status: number,
) => FastDistribution

/**
 * Durations of requests, by the template of their route, which is left out where none matched. Beyond the limit of
 * series the status is kept: an alert counts those from 500 on.
 */
export function measureRequests(): DurationsOf {
  const series = fastHistogram('http.server.request.duration', (attributes) => ({
    'http.request.method': '_OTHER',
    'http.response.status_code': attributes['http.response.status_code'],
  }))
  return (method, route, status) =>
    series({
      'http.request.method': knownMethods.has(method) ? method : '_OTHER',
      ...(route !== undefined && { 'http.route': route }),
      'http.response.status_code': status,
    })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a route is a probe: while the gateway is not ready, its answer is 503, and no request has failed. */
    readonly isProbe?: boolean
  }
}

/** Measures what Fastify answers, but for probes, and event streams, which last as long as their client likes. */
export function addRequestMetrics(app: FastifyInstance, durationsOf: DurationsOf): void {
  app.endHooks.push(({ method, exchange: { arrivedAt }, routeOptions }, _reply, status) => {
    const { url, config } = routeOptions
    if (config.isStream || config.isProbe) return
    durationsOf(method, url, status).record((performance.now() - arrivedAt) / 1000)
  })
}

/** Serves the metrics beside the API, without a credential: `metrics.on_http`. */
export function addMetricsRoute(app: FastifyInstance, scrape: () => Promise<string>): void {
  app.get('/metrics', { config: { isProbe: true } }, async (_request, reply) => {
    reply.header('content-type', contentType)
    return scrape()
  })
}
