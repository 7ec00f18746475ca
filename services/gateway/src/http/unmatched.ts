import { type AppError, alternatives, notFound } from '@svc/runtime'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { Refusal } from './errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a route is one of the interface: to clients of the API its path is unknown. */
    readonly isPage?: boolean
  }
}

/** Answers 405 where the path has other methods, else 404. Knows the routes that are added after it. */
export function addUnmatched(app: FastifyInstance): void {
  const routes: { readonly verb: string; readonly pattern: RegExp }[] = []

  const refusalOf = ({ raw, method }: FastifyRequest, reply: FastifyReply): AppError => {
    const path = pathOf(raw.url ?? '')
    if (path === undefined) return new Refusal('malformed_url')
    const verbs = new Set(routes.filter(({ pattern }) => pattern.test(path)).map((r) => r.verb))
    // A route may find by itself that there is nothing there.
    if (verbs.size === 0 || verbs.has(method)) return notFound('path', 'Not Found')
    reply.header('allow', [...verbs].join(', '))
    return new Refusal('method_not_allowed', `: use ${alternatives(verbs)}`)
  }

  app.addHook('onRoute', (route) => {
    // The preflight of CORS answers for every path and says nothing about any.
    if (route.url === '*') return
    const verbs = route.config?.isPage ? [] : [route.method].flat()
    for (const verb of verbs) routes.push({ verb, pattern: toPattern(route.url) })
    const last = /\/:(\w+)$/.exec(route.url)?.[1]
    if (last === undefined) return
    // The router takes `/flags/` for `/flags/:key` with an empty key. It is `/flags` with a slash.
    const refuseEmpty: onRequestHookHandler = (request, reply, done) => {
      const isEmpty = request.exchange.request.params[last] === ''
      done(isEmpty ? refusalOf(request, reply) : undefined)
    }
    route.onRequest = [refuseEmpty, ...[route.onRequest ?? []].flat()]
  })
  // Before the body is read, which is not needed. After the hooks that let other origins see the answer.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    done(request.is404 ? refusalOf(request, reply) : null)
  })
  app.setNotFoundHandler((request, reply) => {
    throw refusalOf(request, reply)
  })
}

/** @returns nothing for a path that cannot be decoded */
function pathOf(url: string): string | undefined {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)
  try {
    return decodeURI(path)
  } catch {
    return undefined
  }
}

function toPattern(url: string): RegExp {
  const source = url
    .replace(/[.+^${}()|[\]\\?]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/:\w+$/, '[^/]+')
    .replace(/:\w+/g, '[^/]*')
  return new RegExp(`^${source}$`)
}
