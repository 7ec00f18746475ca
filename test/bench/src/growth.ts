import { setTimeout as sleep } from 'node:timers/promises'
import { type ChangeCost, measureChanges } from './growth/change-cost.ts'
import {
  namespaceKey,
  type SizedFleet,
  startEmptyGateway,
  startSizedFleet,
} from './growth/sized-fleet.ts'
import { rssBytesOf } from './growth/usage.ts'
import { measureThroughput } from './load/closed-loop.ts'
import { measureLatency } from './load/open-loop.ts'
import { postBytes, type Question } from './load/question.ts'
import { alternate, median } from './load/statistics.ts'
import type { Figure, Row, Run } from './row.ts'

/** What everything is compared with, and up to what the cost of a change and all else must not grow. */
const base = 10
const sizeOfChanges = 10_000
const largest = 100_000

const usual = { sizes: [100, sizeOfChanges, largest], rounds: 5, latencyMs: 3000, changes: 200 }
const quick = { sizes: [sizeOfChanges, largest], rounds: 3, latencyMs: 700, changes: 60 }

/** Few enough that a gateway is never busy: what is measured is the way of one request. */
const requestsPerSecond = 500

/** So many different flags are asked for, where there are as many. */
const questionCount = 20_000

/** Until what was needed only for the start has been given back. */
const settleMs = 5000

interface Growth {
  readonly count: number
  readonly latency: Figure
  readonly bytes: Figure
  readonly cpu: Figure
  readonly visible: Figure
  readonly rssBytes: number
}

/** What more flags in a namespace cost: an evaluation, the memory of a gateway, a change. */
export async function measureGrowth(run: Run): Promise<readonly Row[]> {
  const times = run.quick ? quick : usual
  const empty = await startEmptyGateway(run)
  const small = await startSizedFleet(run, base)
  const growths: Growth[] = []
  for (const count of times.sizes) growths.push(await measureSize(run, small, count))
  const emptyBytes = rssBytesOf(empty.pid)
  const of = (count: number): Growth => {
    const growth = growths.find((one) => one.count === count)
    if (growth === undefined) throw new Error(`${count} flags have not been measured`)
    return growth
  }
  const others = (figureOf: (growth: Growth) => Figure, measured: number) =>
    Object.fromEntries(
      growths.flatMap((one) => (one.count === measured ? [] : [[name(one.count), figureOf(one)]])),
    )
  const { rssBytes } = of(largest)
  const changes = of(sizeOfChanges)
  return [
    {
      id: 'growth.latency',
      ...of(largest).latency,
      target: { atMost: 1.2 },
      also: others((growth) => growth.latency, largest),
    },
    {
      id: 'growth.bytes-per-change',
      ...changes.bytes,
      target: { atMost: 1.5 },
      also: {
        cpu: { ...changes.cpu, target: { atMost: 1.5 } },
        visible: changes.visible,
        ...others((growth) => growth.cpu, sizeOfChanges),
      },
    },
    {
      id: 'memory.bytes-per-flag',
      ratio: (rssBytes - emptyBytes) / largest,
      unit: 'bytes',
      target: { atMost: 2.5 * 1024 },
      what: `resident memory of a gateway with ${name(largest)} flags, over an empty one, per flag`,
      detail: `${toMiB(rssBytes)}/${toMiB(emptyBytes)} MiB`,
    },
  ]
}

async function measureSize(run: Run, small: SizedFleet, count: number): Promise<Growth> {
  const { rounds, latencyMs, changes } = run.quick ? quick : usual
  const large = await startSizedFleet(run, count)
  await sleep(settleMs)
  const rssBytes = rssBytesOf(large.gateway.pid)
  run.say(`${name(count)} flags: ${toMiB(rssBytes)} MiB`)

  const questions = new Map([small, large].map((fleet) => [fleet, questionsTo(fleet)]))
  const ask = (fleet: SizedFleet) => questions.get(fleet) ?? []
  for (const fleet of [small, large]) {
    await measureThroughput(fleet.gateway.port, ask(fleet), latencyMs)
    await measureChanges(fleet, changes / 4)
  }
  const latencyOf = (fleet: SizedFleet) =>
    measureLatency(fleet.gateway.port, ask(fleet), requestsPerSecond, latencyMs)
  const latency = await alternate(
    rounds,
    () => latencyOf(small),
    () => latencyOf(large),
    ({ p50Ms }) => p50Ms,
  )
  const cost = await alternate(
    rounds,
    () => measureChanges(small, changes / rounds),
    () => measureChanges(large, changes / rounds),
    ({ cpuMs }) => cpuMs,
  )
  const rssAfter = rssBytesOf(large.gateway.pid)
  run.say(
    `${name(count)} flags: ${toMiB(rssAfter)} MiB after ${name(questionCount)} of them were asked for`,
  )
  await large.stop()

  const [a, b] = [latency.a, latency.b].map((all) => median(all.map(({ p50Ms }) => p50Ms)))
  const compare = (figureOf: (cost: ChangeCost) => number, what: string, unit: string): Figure => {
    const [a = Number.NaN, b = Number.NaN] = [cost.a, cost.b].map((all) =>
      median(all.map(figureOf)),
    )
    return {
      ratio: b / a,
      what: `${what} with ${name(count)} flags, over ${base}`,
      detail: `${b.toFixed(2)}/${a.toFixed(2)} ${unit}`,
    }
  }
  const what = `median latency at ${requestsPerSecond} requests/s for random flags of ${name(count)}, over ${base}`
  return {
    count,
    rssBytes,
    latency: { ratio: latency.ratio, what, detail: `${b?.toFixed(3)}/${a?.toFixed(3)} ms` },
    bytes: compare(({ bytes }) => bytes, 'bytes sent to a gateway per change', 'bytes'),
    cpu: {
      ...compare(({ cpuMs }) => cpuMs, 'CPU time of gateway and resource service per change', 'ms'),
      ratio: cost.ratio,
    },
    visible: compare(({ visibleMs }) => visibleMs, 'time until a change is visible', 'ms'),
  }
}

/** About boolean flags at random. */
function questionsTo({ token, booleans }: SizedFleet): readonly Question[] {
  return Array.from({ length: questionCount }, (_, number) => {
    const flagKey = booleans[Math.floor(Math.random() * booleans.length)] ?? ''
    const context = { plan: number % 3 === 0 ? 'beta' : 'free', country: 'NO' }
    const question = { namespaceKey, flagKey, entityId: `user-${number}`, context }
    return {
      bytes: postBytes('/evaluate/v1/boolean', token, question),
      check(body) {
        const answer = JSON.parse(body)
        if (answer.flagKey !== flagKey) throw new Error(`not an answer for ${flagKey}: ${body}`)
      },
    }
  })
}

function name(count: number): string {
  return count.toLocaleString('en')
}

function toMiB(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0)
}
