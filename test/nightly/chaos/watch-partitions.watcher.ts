import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Replica } from '@svc/gateway/replica'
import { createLogger } from '@svc/runtime'
import { type Fault, type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts'
import { openResourceChannel } from '../../support/internal.ts'
import { type Committed, type Contents, heldContent } from '../../support/namespace-content.ts'

export interface Recovery {
  readonly faults: readonly Fault[]
  readonly forMs: number
  /** From the moment when everything healed until the replica had what was committed by then. */
  readonly tookMs: number
}

/** A gateway's copy of all namespaces, behind a fault proxy for each way to the resource service. */
export interface Watcher {
  readonly replica: Replica
  /** In the order of the ports. */
  readonly proxies: readonly FaultProxy[]
  /** @returns how long it took until the replica held what was committed, in milliseconds */
  catchUp(): Promise<number>
  /** Lets a partition happen and heal, and compares what the replica holds afterwards. */
  suffer(faults: readonly Fault[], forMs: number): Promise<Recovery>
  /** What was not as the management API says, each with both sides. */
  readonly differences: readonly object[]
  readonly stepsBack: readonly object[]
  /** How many times it was sent a whole namespace. */
  readonly wholes: number
}

/** Far more than a recovery may take: by then it is given up, and reported with this figure. */
const patienceMs = 15_000

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

export async function openWatcher(
  t: { teardown(work: () => Promise<void>): void },
  contents: Contents,
  ports: readonly number[],
): Promise<Watcher> {
  const proxies = await Promise.all(ports.map((port) => startFaultProxy(t, port)))
  const address = `ipv4:${proxies.map((proxy) => proxy.address).join(',')}`
  const channel = openResourceChannel(t, address)
  const replica = new Replica(channel, log)
  const end = new AbortController()
  const following = replica.follow(end.signal)
  t.teardown(async () => {
    end.abort()
    await following
  })

  const stepsBack: object[] = []
  const differences: object[] = []
  const last = new Map<string, number>()
  const states = new WeakSet<object>()
  let wholes = 0
  replica.onChange(({ namespaceKey, revision }) => {
    const before = last.get(namespaceKey) ?? 0
    if (revision < before) stepsBack.push({ namespaceKey, before, revision })
    last.set(namespaceKey, revision)
    const state = replica.namespace(namespaceKey)
    if (state === undefined || states.has(state)) return
    states.add(state)
    wholes += 1
  })

  /** What is held may be later than what was read, and so may be that it is gone. */
  function isHeld({ namespaceKey, revision, isDeleted }: Committed): boolean {
    const isGone = replica.namespace(namespaceKey) === undefined
    return (isGone && isDeleted) || (last.get(namespaceKey) ?? 0) >= revision
  }

  async function catchUp(): Promise<number> {
    const startedAt = performance.now()
    let tookMs = 0
    do {
      const committed = await contents.revisions()
      tookMs = performance.now() - startedAt
      if (replica.isCurrent && committed.every(isHeld)) break
      await sleep(5)
    } while (tookMs < patienceMs)
    return tookMs
  }

  /** Writers go on, so it takes some tries to see both sides at the same revision. */
  async function compare(namespaceKey: string): Promise<void> {
    const deadline = performance.now() + patienceMs
    while (performance.now() < deadline) {
      const expected = await contents.read(namespaceKey)
      if (expected === 'changing') continue
      const { revision } = expected ?? {}
      const isThere = () => (replica.namespace(namespaceKey)?.revision ?? 0) >= (revision ?? 0)
      const giveUpAt = performance.now() + 500
      while (!isThere() && performance.now() < giveUpAt) await sleep(2)
      const held = heldContent(replica, namespaceKey)
      if (held?.revision !== revision) continue
      if (!isDeepStrictEqual(held, expected)) differences.push({ held, expected })
      return
    }
    differences.push({ namespaceKey, held: heldContent(replica, namespaceKey), expected: 'never' })
  }

  await catchUp()
  return {
    replica,
    proxies,
    catchUp,
    differences,
    stepsBack,
    get wholes() {
      return wholes
    },
    async suffer(faults, forMs) {
      for (const [index, proxy] of proxies.entries()) proxy.set(faults[index] ?? 'none')
      await sleep(forMs)
      for (const proxy of proxies) proxy.set('none')
      const tookMs = await catchUp()
      for (const { namespaceKey } of await contents.revisions()) await compare(namespaceKey)
      return { faults, forMs, tookMs }
    },
  }
}
