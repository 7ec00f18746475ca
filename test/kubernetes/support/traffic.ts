import type { Test } from 'tap'
import { percentiles } from '../../support/load.ts'
import { right, startTraffic as sendTraffic, type Unit } from '../../support/traffic.ts'
import { allEnded } from './cluster.ts'
import { atMost } from './figures.ts'
import type { Release } from './release.ts'

/** A flag that is on, for all that is asked here. */
export const flagKey = 'suite'
export const flag = { key: flagKey, name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true }

/** Requests a second where a test names no other; less on a busy machine. */
export const usualRate = Number(process.env.RATE ?? 200)

export interface TrafficOptions {
  /** @default {@link usualRate} */
  readonly perSecond?: number
  /** What is sent in turn. @default mostly evaluations, some reads, few writes */
  readonly requests?: readonly TrafficRequest[]
}

export interface TrafficRequest {
  readonly method: string
  readonly path: string
  readonly body?: object
  /** What stands in the right answer. */
  readonly expected: string
}

export interface Traffic {
  /** Most requests that have been under way at once. */
  mostUnderWay(): number
  stop(): Promise<TrafficResult>
}

export interface TrafficResult {
  readonly total: number
  /** How often each failure occurred. */
  readonly failed: Readonly<Record<string, number>>
}

/** Failures in all. */
export function countOf(failed: TrafficResult['failed']): number {
  return Object.values(failed).reduce((sum, times) => sum + times, 0)
}

export const evaluation: TrafficRequest = {
  method: 'POST',
  path: '/evaluate/v1/boolean',
  body: { flagKey, entityId: 'entity-1' },
  expected: '"enabled":true',
}

const flagPath = `/api/v1/namespaces/default/flags/${flagKey}`

const usualRequests: readonly TrafficRequest[] = [
  evaluation,
  { method: 'GET', path: flagPath, expected: `"key":"${flagKey}"` },
  { method: 'POST', path: '/ofrep/v1/evaluate/flags', body: {}, expected: `"key":"${flagKey}"` },
  { method: 'PUT', path: flagPath, body: flag, expected: `"key":"${flagKey}"` },
  // Writes of a flag take turns.
  ...Array.from({ length: 16 }, () => evaluation),
]

/**
 * Sends requests at a constant rate through the Service of the gateway, half on connections of their own and half
 * on kept ones, and repeats none. An answer is right when it is a 200 with the expected text.
 */
export function startTraffic(t: Test, release: Release, options: TrafficOptions = {}): Traffic {
  const { perSecond = usualRate, requests = usualRequests } = options
  const { hostname: host, port } = new URL(release.url)
  const { token } = release
  const units = requests.map(toUnit)
  const traffic = sendTraffic(t, { host, port: Number(port), token, perSecond, units })
  const end = async () => {
    const { outcomes, tookMs } = await traffic.stop()
    const { [right]: good = 0, ...failed } = outcomes
    t.comment(`${tookMs.length} requests, ${perSecond}/s, ${good} right; ${percentiles(tookMs)} ms`)
    return { total: tookMs.length, failed }
  }
  let stopped: Promise<TrafficResult> | undefined
  return {
    mostUnderWay: () => traffic.mostUnderWay,
    stop() {
      stopped ??= end()
      return stopped
    },
  }
}

function toUnit({ method, path, body, expected }: TrafficRequest): Unit {
  return async (send) => {
    const { status, text } = await send(method, path, body)
    if (status === 200 && text.includes(expected)) return right
    return `${method} ${path}: ${status} ${text.slice(0, 200)}`
  }
}

/** Does something under traffic, of which no request may fail until all pods that end have ended. */
export async function withoutFailure(
  t: Test,
  release: Release,
  what: string,
  work: () => Promise<void>,
  options?: TrafficOptions,
): Promise<void> {
  const traffic = startTraffic(t, release, options)
  await work()
  await allEnded()
  const { total, failed } = await traffic.stop()
  t.strictSame(failed, {}, what)
  atMost(t, `${what}: failed of ${total}`, countOf(failed), 0)
}
