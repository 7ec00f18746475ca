import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, HTTPMethods } from 'fastify'
import findMyWay from 'find-my-way'
import { maxUrlBytes } from './request-checks.ts'

/** Of the calls of one kind to a service. */
export interface CallLimit {
  /** Whether one more has to be refused, which the caller then does. */
  refuses(): boolean
  /** A request that is not refused waits for its turn, and has its place until then. */
  beginWait(): void
  endWait(): void
}

/** @returns the limit of what a route calls, by the parameters in the URL of a request */
export type RouteLimit = (params: Readonly<Record<string, string>>) => CallLimit

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of what a route calls; its requests are refused while as much is in flight as may be. */
    readonly limit?: RouteLimit | undefined
  }
}

/** Finds the limit of a request before Fastify does anything for it, which takes longer than a refusal. */
export class RouteLimits {
  // As Fastify's own in `edge.ts`. What it would not find is refused there.
  readonly #router = findMyWay({ maxParamLength: maxUrlBytes, onBadUrl: () => {} })

  /** Called before the app has routes. */
  watch(app: FastifyInstance): void {
    app.addHook('onRoute', ({ method, url, config }) => {
      const limit = config?.limit
      if (limit === undefined) return
      for (const one of [method].flat() as HTTPMethods[]) {
        this.#router.on(one as 'GET', url, () => {}, limit)
      }
    })
  }

  of({ method, url = '' }: IncomingMessage): CallLimit | undefined {
    const found = this.#router.find(method as 'GET', url)
    const limit: RouteLimit | undefined = found?.store
    return limit?.(found?.params as Record<string, string>)
  }
}
