import { setTimeout as sleep } from 'node:timers/promises'

/** Work that arrives at a constant rate, whether or not what came before is done. */
export interface Load {
  /** Ends the arrivals, waits for what is under way, and counts the outcomes. */
  stop(): Promise<Measured>
}

export interface Measured {
  readonly outcomes: Readonly<Record<string, number>>
  /** When each began, from the start of the load, and how long it took, in milliseconds. */
  readonly samples: readonly { readonly atMs: number; readonly tookMs: number }[]
  readonly tookMs: readonly number[]
}

/** More than this under way at once means that the server has stopped: what comes then is dropped. */
const maxUnderWay = 2000

/** @param work what is done each time; gives the name of its outcome */
export function startLoad(perSecond: number, work: () => Promise<string>): Load {
  const outcomes: Record<string, number> = {}
  const samples: { atMs: number; tookMs: number }[] = []
  const underWay = new Set<Promise<void>>()
  const startedAt = performance.now()
  let due = 0
  const count = (outcome: string) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  const timer = setInterval(() => {
    const now = performance.now()
    for (; startedAt + (due * 1000) / perSecond <= now; due++) {
      if (underWay.size >= maxUnderWay) {
        count('dropped')
        continue
      }
      const beganAt = performance.now()
      const one = work()
        .then(count, (error: unknown) => count(`threw ${String(error)}`))
        .finally(() => {
          samples.push({ atMs: beganAt - startedAt, tookMs: performance.now() - beganAt })
          underWay.delete(one)
        })
      underWay.add(one)
    }
  }, 2)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
      return { outcomes, samples, tookMs: samples.map(({ tookMs }) => tookMs) }
    },
  }
}

/** What comes of a load while something is done. */
export async function measure(
  perSecond: number,
  work: () => Promise<string>,
  during: () => Promise<unknown>,
): Promise<Measured> {
  const load = startLoad(perSecond, work)
  await during()
  return await load.stop()
}

/** Looks again and again until something is so. @returns after how many milliseconds it was */
export async function timeUntil(
  condition: () => Promise<boolean>,
  limitMs: number,
): Promise<number> {
  const startedAt = performance.now()
  while (performance.now() - startedAt < limitMs) {
    if (await condition()) return Math.round(performance.now() - startedAt)
    await sleep(20)
  }
  return Number.POSITIVE_INFINITY
}

/** @param share from 0 to 1: 0.5 is the median */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? Number.NaN
}

/** @returns for people: `p50 1.2, p99 3.4, max 5.6` */
export function percentiles(values: readonly number[]): string {
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => quantile(values, share).toFixed(1))
  return `p50 ${p50}, p99 ${p99}, max ${max}`
}
