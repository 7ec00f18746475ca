import { setTimeout as sleep } from 'node:timers/promises'
import { UpdateVariantRequest, VariantServiceDefinition } from '@svc/proto/resource/v1/variants'
import { methodPath, type RpcChannel } from '@svc/rpc'
import { addressOf, type Fleet, startFleet } from './fleet.ts'
import { openResourceChannel, vouched } from './internal.ts'
import type { Test } from './listen.ts'
import { openRawClient, type RawClient, requestBytes } from './raw-http.ts'

export interface PropagationOptions {
  readonly databaseUrl: string
  readonly changes: number
  /** The rate of the changes, one after the other, whether or not earlier ones have been seen. */
  readonly perSecond: number
  /** What is only slow the first time is not what is asked for; so many changes before are not counted. */
  readonly warmUpChanges?: number
}

export interface Propagation {
  /**
   * From the answer of the resource service to a write until an evaluation shows it, in milliseconds:
   * one for each change and gateway, ascending.
   */
  readonly delaysMs: Float64Array
  /** The rate of the changes as it was: a machine may be too slow for the one that was asked for. */
  readonly perSecond: number
  /** How many of them are not there because it was not seen at all. */
  readonly missed: number
  /** How often a gateway showed an earlier change after a later one. */
  readonly stepsBack: number
}

const gateways = 3

/** Longer than this a change is not waited for. */
const patienceMs = 10_000

/** How often each gateway is asked what it shows, whatever has changed. */
const probeIntervalMs = 20

/**
 * Changes a flag again and again, at a service that has two replicas and three gateways, and looks when
 * evaluations show it. The writes do not go through a gateway: that would answer them only when it
 * shows them itself.
 */
export async function measurePropagation(
  t: Test,
  { databaseUrl, changes, perSecond, warmUpChanges = 50 }: PropagationOptions,
): Promise<Propagation> {
  const fleet = await startFleet(t, { databaseUrl, resources: 2, gateways })
  const channel = openResourceChannel(t, addressOf(fleet.resources))
  const count = await startCounting(fleet, channel)
  const observers = fleet.gateways.map(({ port }) => new Observer(port, fleet.token))
  for (let n = 1; n <= warmUpChanges; n++) {
    const revision = await count(n)
    await Promise.all(observers.map((observer) => observer.untilSeen(n, revision)))
  }
  const probing = observers.map((observer) => startProbe(observer))
  const delays: number[] = []
  let missed = 0
  const startedAt = performance.now()
  const watching: Promise<void>[] = []
  for (let i = 0; i < changes; i++) {
    await sleep(Math.max(startedAt + (i * 1000) / perSecond - performance.now(), 0))
    const n = warmUpChanges + 1 + i
    const revision = await count(n)
    const answeredAt = performance.now()
    for (const observer of observers) {
      watching.push(
        observer.untilSeen(n, revision).then((seenAt) => {
          if (seenAt === undefined) missed += 1
          else delays.push(seenAt - answeredAt)
        }),
      )
    }
  }
  const perSecondAchieved = (changes * 1000) / (performance.now() - startedAt)
  await Promise.all(watching)
  const stepsBack = await Promise.all(probing.map((probe) => probe.stop()))
  for (const observer of observers) observer.close()
  return {
    delaysMs: Float64Array.from(delays).sort(),
    perSecond: perSecondAchieved,
    missed,
    stepsBack: stepsBack.reduce((sum, steps) => sum + steps, 0),
  }
}

const flagKey = 'counter'

/** @returns what makes the flag serve a number; that resolves with the revision */
async function startCounting({ api }: Fleet, channel: RpcChannel) {
  const base = '/api/v1/namespaces/default/flags'
  const flag = { key: flagKey, name: 'Counter', type: 'VARIANT_FLAG_TYPE', enabled: true }
  await api('POST', base, flag)
  const { body } = await api('POST', `${base}/${flagKey}/variants`, { key: 'v', attachment: '0' })
  const { id } = body as { readonly id: string }
  await api('PUT', `${base}/${flagKey}`, { ...flag, defaultVariantId: id })
  const path = methodPath(VariantServiceDefinition, 'UpdateVariant')
  return async (n: number): Promise<number> => {
    const variant = { namespaceKey: 'default', flagKey, id, key: 'v', attachment: String(n) }
    const request = UpdateVariantRequest.encode(UpdateVariantRequest.fromPartial(variant)).finish()
    const answer = await channel.call(path, request, { ...vouched(), timeoutMs: patienceMs })
    return Number(answer.trailer('svc-revision')?.split(':')[1])
  }
}

/** Looks what a gateway shows. */
class Observer {
  readonly #client: RawClient
  readonly #headers: Readonly<Record<string, string>>

  constructor(port: number, token: string) {
    this.#client = openRawClient(port)
    this.#headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  }

  close(): void {
    this.#client.close()
  }

  /** @returns the number that is shown, once this revision is there; `undefined` if it is not */
  async read(revision: number): Promise<number | undefined> {
    const headers = { ...this.#headers, 'x-svc-min-revision': `default:${revision}` }
    const { status, text } = await this.#client.send(
      requestBytes('/evaluate/v1/variant', question, headers),
    )
    if (status === 503) return undefined
    const { variantAttachment } = JSON.parse(text) as { readonly variantAttachment?: string }
    if (variantAttachment === undefined) throw new Error(`a gateway answered ${text}`)
    return Number(variantAttachment)
  }

  /** @returns when the number or a later one is shown; `undefined` when it is not */
  async untilSeen(n: number, revision: number): Promise<number | undefined> {
    const deadline = performance.now() + patienceMs
    while (performance.now() < deadline) {
      const shown = await this.read(revision)
      if (shown === undefined) continue
      if (shown < n) throw new Error(`a gateway shows ${shown} at the revision of ${n}`)
      return performance.now()
    }
    return undefined
  }
}

const question = JSON.stringify({ namespaceKey: 'default', flagKey, entityId: 'e', context: {} })

/** Asks again and again, one request after the other: what is shown must not go back. */
function startProbe(observer: Observer) {
  let isOver = false
  let stepsBack = 0
  const probing = (async () => {
    for (let last = 0; !isOver; await sleep(probeIntervalMs)) {
      const shown = (await observer.read(0)) ?? last
      if (shown < last) stepsBack += 1
      last = shown
    }
  })()
  return {
    async stop(): Promise<number> {
      isOver = true
      await probing
      return stepsBack
    },
  }
}

const bucketsMs = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, Number.POSITIVE_INFINITY]

/** How many delays there are of which length, a line for each. */
export function toHistogram({ delaysMs }: Propagation): string[] {
  let below = 0
  return bucketsMs.flatMap((limitMs) => {
    const upTo = delaysMs.findLastIndex((delayMs) => delayMs <= limitMs) + 1
    const count = upTo - below
    below = upTo
    const share = ((100 * count) / delaysMs.length).toFixed(2)
    return count === 0 ? [] : `up to ${limitMs} ms: ${count} (${share} %)`
  })
}
