import { setTimeout as sleep } from 'node:timers/promises'
import { type Propagation, SvcError } from '@svc/client/api'
import type { Context } from './context.ts'

/** How long a write waits for the gateways to have it. The write is done by then in any case. */
const maxWaitMs = 3000
/** Gateways report five times a second. */
const intervalMs = 100

/** At how many gateways a revision is. */
export interface Live {
  readonly gateways: number
  readonly reached: number
  /** From the change until the last gateway evaluated with it. Left out when it is not known. */
  readonly slowestMs?: number | undefined
}

/**
 * Waits until all gateways have a revision, for 3 s at most.
 *
 * @returns how far it is; nothing when the credential may not ask
 */
export async function waitUntilLive(
  { api, signal }: Context,
  namespaceKey: string,
  revision: number,
): Promise<Live | undefined> {
  const deadline = performance.now() + maxWaitMs
  try {
    while (true) {
      const propagation = await api.gateways.getPropagation(
        { namespaceKey, revision },
        { signal, timeoutMs: maxWaitMs },
      )
      if (propagation.settled || performance.now() >= deadline) return toLive(propagation)
      await sleep(intervalMs, undefined, { signal })
    }
  } catch (error) {
    if (error instanceof SvcError) return undefined
    throw error
  }
}

export function toLive({ gateways, reached, slowestMs }: Propagation): Live {
  return { gateways, reached, slowestMs }
}

/** Such as `live on 3/3, 41 ms`. */
export function liveText({ gateways, reached, slowestMs }: Live): string {
  const time = slowestMs === undefined ? '' : `, ${Math.round(slowestMs)} ms`
  return `live on ${reached}/${gateways}${reached === gateways ? time : ''}`
}
