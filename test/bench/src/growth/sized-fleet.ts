import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase, type TestDatabase } from '@svc/database/testing'
import { demoNamespaces, loadDemo } from '@svc/local/demo'
import { call } from '@svc/test/support/http'
import { makeManyFlags, nameOfCopy } from '@svc/test/support/many-flags'
import type { ServiceProcess } from '@svc/test/support/service-process'
import type { Run } from '../row.ts'
import { startFleetBesideClient, startPinnedGateway } from '../servers/start.ts'
import { type MeteredLink, startMeteredLink } from './metered-link.ts'

export interface SizedFleet {
  readonly count: number
  readonly db: TestDatabase
  readonly token: string
  readonly gateway: ServiceProcess & { readonly url: string }
  readonly resource: ServiceProcess
  /** Between the two. */
  readonly link: MeteredLink
  /** Of all flags. */
  readonly keys: readonly string[]
  /** The keys of the boolean flags. */
  readonly booleans: readonly string[]
  /** Those of them that are the same for all entities. */
  readonly switches: readonly string[]
  /** Ends its processes. */
  stop(): Promise<void>
}

export const namespaceKey = 'many'

/** What the demo has, copied again and again. */
const kinds = demoNamespaces.find(({ key }) => key === 'default')?.flags ?? []

/**
 * The services with so many flags in one namespace. The gateway has the server's core for itself; it
 * was started when the flags were there.
 */
export async function startSizedFleet(run: Run, count: number): Promise<SizedFleet> {
  const db = await createTestDatabase(run)
  const fleet = await startFleetBesideClient(run, db.url)
  const { token, resources } = fleet
  const [resource] = resources
  if (resource === undefined) throw new Error('no fleet')
  await loadDemo(fleet.urls[0], token)
  for (const former of fleet.gateways) await former.kill()
  const many = { namespaceKeys: [namespaceKey], count, copied: kinds.map(({ key }) => key) }
  await makeManyFlags(db, many)
  const link = await startMeteredLink(run, resource.port)
  const gateway = await startPinnedGateway(fleet, { SVC_RESOURCE_ADDRESS: link.address })
  const keys = Array.from({ length: count }, (_, number) => nameOfCopy(many, number))
  const booleans = keys.filter((_, number) => kindOf(number)?.type === 'BOOLEAN_FLAG_TYPE')
  const switches = keys.filter((_, number) => kindOf(number)?.key === 'kill-switch')
  await untilThere(gateway.url, token, switches.at(-1) ?? '')
  return {
    ...{ count, db, token, gateway, resource, link, keys, booleans, switches },
    async stop() {
      for (const process of [gateway, resource, ...fleet.auths]) await process.kill()
    },
  }
}

function kindOf(number: number) {
  return kinds[number % kinds.length]
}

/** Reading and sending 100,000 flags takes seconds; this is for a machine that does much else. */
const patienceMs = 120_000

async function untilThere(url: string, token: string, flagKey: string): Promise<void> {
  const deadline = performance.now() + patienceMs
  const question = { namespaceKey, flagKey, entityId: 'e', context: {} }
  const headers = { authorization: `Bearer ${token}` }
  while (performance.now() < deadline) {
    const answer = await call(url, 'POST', '/evaluate/v1/boolean', question, headers)
    if (answer.status === 200) return
    await sleep(50)
  }
  throw new Error(`the gateway does not know ${flagKey}`)
}

/** A gateway that has next to nothing in memory. */
export async function startEmptyGateway(run: Run): Promise<ServiceProcess> {
  const db = await createTestDatabase(run)
  const { gateways } = await startFleetBesideClient(run, db.url)
  const [gateway] = gateways
  if (gateway === undefined) throw new Error('no fleet')
  return gateway
}
