import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createTestDatabase } from '@svc/database/testing'
import { type Fleet, startFleet } from '@svc/test/support/fleet'
import { loadDocument } from '@svc/test/support/load-document'
import { onBothCores, pinBesideClient, pinServer } from '@svc/test/support/machine'
import type { ServiceProcess } from '@svc/test/support/service-process'
import type { Run } from '../row.ts'
import { toDocument, toQuestion } from './flags.ts'

/** The services as processes, on the client's core. */
export async function startFleetBesideClient(run: Run, databaseUrl: string): Promise<Fleet> {
  const fleet = await onBothCores(() => startFleet(run, { databaseUrl }))
  const { auths, resources, gateways } = fleet
  for (const { pid } of [...auths, ...resources, ...gateways]) pinBesideClient(pid)
  return fleet
}

/** The services as processes, the gateway alone on the server's core and with these flags. */
export async function startPinnedFleet(
  run: Run,
  flagKeys: readonly string[],
): Promise<Fleet & LoadedServer> {
  const database = await createTestDatabase(run)
  const fleet = await startFleetBesideClient(run, database.url)
  for (const { pid } of fleet.gateways) pinServer(pid)
  await loadDocument(fleet.api, toDocument(flagKeys))
  for (const flagKey of flagKeys) await untilKnown(fleet, flagKey)
  const [{ port, pid } = { port: 0, pid: 0 }] = fleet.gateways
  return { ...fleet, port, pid }
}

/** Starts another gateway of a fleet, on the server's core; it may have more settings than the others. */
export async function startPinnedGateway(
  fleet: Fleet,
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess & { readonly url: string }> {
  const gateway = await onBothCores(() => fleet.startGateway(env))
  pinServer(gateway.pid)
  return gateway
}

/** Waits until the gateway answers by all the rollouts of a flag. */
async function untilKnown({ api }: Fleet, flagKey: string): Promise<void> {
  const inSegment = toQuestion(flagKey, 0)
  const deadline = performance.now() + 10_000
  while (performance.now() < deadline) {
    const answer = await api('POST', '/evaluate/v1/boolean', inSegment)
    const { reason } = answer.body as { readonly reason?: unknown }
    if (reason === 'MATCH_EVALUATION_REASON') return
    await sleep(20)
  }
  throw new Error(`the gateway does not know ${flagKey}`)
}

/** A server to load, and the process that has it. */
export interface LoadedServer {
  readonly port: number
  readonly pid: number
}

/** Starts the server that the gateway is compared with, on the same core. */
export async function startBareServer(run: Run, answerBytes: number): Promise<LoadedServer> {
  const child = fork(fileURLToPath(new URL('./bare.js', import.meta.url)), [String(answerBytes)])
  run.teardown(async () => {
    child.kill('SIGKILL')
  })
  const signal = AbortSignal.timeout(10_000)
  const [message] = (await once(child, 'message', { signal })) as [{ port: number }]
  const { pid = 0 } = child
  pinServer(pid)
  return { port: message.port, pid }
}
