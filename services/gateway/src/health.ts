import type { FastifyInstance } from 'fastify'
import type { Identities } from './identity/identities.ts'
import type { Replica } from './replica/replica.ts'

interface Part {
  /** `waiting`: nothing was received since this process began; `stale`: nothing was received just now. */
  readonly state: 'waiting' | 'current' | 'stale'
  /** Age of the last message from it. Left out before the first. */
  readonly ageSeconds?: number
}

/** Ready: it can evaluate, has reached auth once and does not drain; outages do not change that. */
export class Readiness {
  readonly #replica: Replica
  readonly #identities: Identities
  #isDraining = false

  constructor({ replica, identities }: { replica: Replica; identities: Identities }) {
    this.#replica = replica
    this.#identities = identities
  }

  get isReady(): boolean {
    return !this.#isDraining && this.#replica.isLoaded && this.parts.auth.state !== 'waiting'
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /** How old is what it answers from. */
  get parts(): { readonly flags: Part; readonly auth: Part } {
    const { isCurrent, ageMs } = this.#replica
    const { isFollowing } = this.#identities
    return { flags: toPart(isCurrent, ageMs), auth: toPart(isFollowing, this.#identities.ageMs) }
  }

  /** Not ready from now on, so that load balancers send to other gateways. */
  beginDrain(): void {
    this.#isDraining = true
  }
}

/** `/healthz`: the process runs. `/readyz`: readiness and the age of the data. `/health`: older. */
export function addHealthRoutes(app: FastifyInstance, readiness: Readiness): void {
  const options = { config: { isProbe: true } }
  app.get('/healthz', options, async () => ({ status: 'ok' }))

  app.get('/readyz', options, async (_request, reply) => {
    const { isReady, isDraining, parts } = readiness
    reply.code(isReady ? 200 : 503)
    return { status: isReady ? 'ready' : isDraining ? 'draining' : 'not ready', parts }
  })

  app.get('/health', options, async (_request, reply) => {
    const { isReady } = readiness
    reply.code(isReady ? 200 : 503).header('content-type', 'application/json')
    return Buffer.from(
      isReady ? '{"status":"SERVING"}' : '{"code":14,"message":"not serving","details":[]}',
    )
  })
}

function toPart(isCurrent: boolean, ageMs: number): Part {
  if (!Number.isFinite(ageMs)) return { state: 'waiting' }
  return { state: isCurrent ? 'current' : 'stale', ageSeconds: Math.round(ageMs / 100) / 10 }
}
