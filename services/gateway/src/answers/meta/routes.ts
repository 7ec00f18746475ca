import type { Operation } from '@svc/contract'
import type { Info } from '@svc/proto/meta/v1/meta'
import { version } from '@svc/runtime'
import type { FastifyInstance } from 'fastify'
import type { Guard } from '../../operations/guard.ts'
import { type BoundRequest, routesOf } from '../remote/routes.ts'

export interface MetaParts {
  readonly guard: Guard
  /** Whether requests need a credential. */
  readonly required: boolean
}

export function isMetaMethod({ service }: Operation): boolean {
  return service.startsWith('svc.meta.v1.')
}

/** Mounts what the gateway tells of this installation. */
export function addMetaRoutes(
  app: FastifyInstance,
  operations: readonly Operation[],
  { guard, required }: MetaParts,
): void {
  const info: Info = {
    version,
    goVersion: `node ${process.version}`,
    updateAvailable: false,
    isRelease: !version.includes('-'),
    os: process.platform,
    arch: process.arch,
    authentication: { required },
    storage: { type: 'database' },
    analytics: { enabled: false },
  }
  for (const { operation, binding, url } of routesOf(operations)) {
    if (operation.name !== 'GetInfo') throw new Error(`there is no handler for ${operation.path}`)
    app.route<BoundRequest>({
      method: binding.verb,
      url,
      async handler(request, reply) {
        await guard.check(request, operation.access, [])
        const text = JSON.stringify(info, null, 'pretty' in request.query ? 2 : undefined)
        // Bytes, for Fastify would name a character set with a text.
        return reply.header('content-type', 'application/json').send(Buffer.from(text))
      },
    })
  }
}
