import { call } from '@svc/test/support/http'
import { toggleFlag } from '@svc/test/support/many-flags'
import { median } from '../load/statistics.ts'
import { namespaceKey, type SizedFleet } from './sized-fleet.ts'
import { cpuMsOf } from './usage.ts'

/** What a change to one flag costs, on the average. */
export interface ChangeCost {
  /** That the gateway is sent. */
  readonly bytes: number
  /** Of the gateway and the resource service together, with the evaluation that shows it. */
  readonly cpuMs: number
  /** From the commit until an evaluation shows it; the median. */
  readonly visibleMs: number
}

/** Changes one flag after the other, each when the one before is seen. */
export async function measureChanges(fleet: SizedFleet, changes: number): Promise<ChangeCost> {
  const { db, switches, gateway, resource, link } = fleet
  const cpuMs = () => cpuMsOf(gateway.pid) + cpuMsOf(resource.pid)
  const before = { bytes: link.bytes, cpuMs: cpuMs() }
  const visible: number[] = []
  for (let i = 0; i < changes; i++) {
    const flagKey = switches[Math.floor(Math.random() * switches.length)] ?? ''
    const { enabled, revision } = await toggleFlag(db, namespaceKey, flagKey)
    const committedAt = performance.now()
    await seeFlag(fleet, flagKey, revision, enabled)
    visible.push(performance.now() - committedAt)
  }
  return {
    bytes: (link.bytes - before.bytes) / changes,
    cpuMs: (cpuMs() - before.cpuMs) / changes,
    visibleMs: median(visible),
  }
}

/** @throws {Error} when the gateway does not show it as it is at the revision */
async function seeFlag(
  { gateway, token }: SizedFleet,
  flagKey: string,
  revision: number,
  enabled: boolean,
): Promise<void> {
  const question = { namespaceKey, flagKey, entityId: 'e', context: {} }
  const answer = await call(gateway.url, 'POST', '/evaluate/v1/boolean', question, {
    authorization: `Bearer ${token}`,
    'x-svc-min-revision': `${namespaceKey}:${revision}`,
  })
  const { enabled: seen } = answer.body as { readonly enabled?: boolean }
  if (seen !== enabled) throw new Error(`${flagKey} is not ${enabled}: ${answer.text}`)
}
