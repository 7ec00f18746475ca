import type { Test } from 'tap'
import { percentiles, startLoad } from '../../support/load.ts'
import { openRawClient, requestBytes } from '../../support/raw-http.ts'
import { allEnded } from './cluster.ts'
import { atMost } from './figures.ts'
import type { Release } from './release.ts'

/** A flag that is on, for all that is asked here. */
export const flagKey = 'suite'
export const flag = { key: flagKey, name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true }

/** Of each kind; more than are under way at once. */
const connections = 64

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
  const { hostname, port } = new URL(release.url)
  const prepared = requests.map(({ method, path, body, expected }) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const bytes = (headers: object) =>
      requestBytes(path, text, { authorization: `Bearer ${release.token}`, ...headers }, method)
    return {
      name: `${method} ${path}`,
      expected,
      bytes: { kept: bytes({}), new: bytes({ connection: 'close' }) },
    }
  })
  const clients = {
    kept: openRawClient(Number(port), connections, hostname),
    new: openRawClient(Number(port), connections, hostname),
  }
  let count = 0
  let underWay = 0
  let mostUnderWay = 0
  const load = startLoad(perSecond, async () => {
    const at = count++
    const request = prepared[(at >> 1) % prepared.length]
    if (request === undefined) throw new Error('there is no request')
    const kind = at % 2 === 0 ? 'kept' : 'new'
    underWay += 1
    mostUnderWay = Math.max(mostUnderWay, underWay)
    const { status, text } = await clients[kind].send(request.bytes[kind])
    underWay -= 1
    if (status === 200 && text.includes(request.expected)) return 'right'
    return `${kind} ${request.name}: ${status} ${text.slice(0, 200)}`
  })
  let stopped: Promise<TrafficResult> | undefined
  const end = async () => {
    const { outcomes, tookMs } = await load.stop()
    for (const client of Object.values(clients)) client.close()
    const { right = 0, ...failed } = outcomes
    t.comment(
      `${tookMs.length} requests, ${perSecond}/s, ${right} right; ${percentiles(tookMs)} ms`,
    )
    return { total: tookMs.length, failed }
  }
  const stop = () => {
    stopped ??= end()
    return stopped
  }
  t.teardown(async () => {
    await stop()
  })
  return { mostUnderWay: () => mostUnderWay, stop }
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
