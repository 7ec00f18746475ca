import type { Propagation } from '@svc/client/api'
import { backgroundApi } from './api.ts'

/** How often is asked, and for how long, in milliseconds. Gateways report five times a second. */
const everyMs = 250
const limitMs = 10_000

/**
 * Follows a change until every gateway evaluates with it, or for ten seconds.
 *
 * @returns the last that is known: `settled` says whether it is live everywhere
 */
export async function followPropagation(
  namespaceKey: string,
  revision: number,
  signal?: AbortSignal,
): Promise<Propagation> {
  const until = performance.now() + limitMs
  for (;;) {
    const now = await backgroundApi.gateways.getPropagation({ namespaceKey, revision }, { signal })
    if (now.settled || performance.now() > until) return now
    await new Promise((resolve) => setTimeout(resolve, everyMs))
    signal?.throwIfAborted()
  }
}
