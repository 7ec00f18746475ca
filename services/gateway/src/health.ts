import type { FastifyInstance } from 'fastify'
import type { Identities } from './identity/identities.ts'
import type { Replica } from './replica/replica.ts'

interface Part {
  /** `waiting`: not heard of since this process began; `stale`: not heard of just now. */
  readonly state: 'waiting' | 'current' | 'stale'
  /** How long ago it was last heard of. Left out before it was. */
  readonly ageSeconds?: number
}

/**
 * `/healthz`: the process lives. `/readyz`: it can evaluate, and has reached auth once; it stays
 * ready on what it has while they are away, and says how old that is. `/health` is the older form.
 */
export function addHealthRoutes(
  app: FastifyInstance,
  { replica, identities }: { readonly replica: Replica; readonly identities: Identities },
): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  const flags = () => toPart(replica.isCurrent, replica.ageMs)
  const auth = () => toPart(identities.isFollowing, identities.ageMs)
  const isReady = () => !isClosing && replica.isLoaded && auth().state !== 'waiting'

  app.get('/healthz', async () => ({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    const ready = isReady()
    reply.code(ready ? 200 : 503)
    return { status: ready ? 'ready' : 'not ready', parts: { flags: flags(), auth: auth() } }
  })

  app.get('/health', async (_request, reply) => {
    const ready = isReady()
    reply.code(ready ? 200 : 503).header('content-type', 'application/json')
    return Buffer.from(
      ready ? '{"status":"SERVING"}' : '{"code":14,"message":"not serving","details":[]}',
    )
  })
}

function toPart(isCurrent: boolean, ageMs: number): Part {
  if (!Number.isFinite(ageMs)) return { state: 'waiting' }
  return { state: isCurrent ? 'current' : 'stale', ageSeconds: Math.round(ageMs / 100) / 10 }
}
