import { setTimeout as sleep } from 'node:timers/promises'
import type { Request } from './http.ts'
import { createRandom, type Random } from './random.ts'

/** Writers who change things at random until they are stopped. */
export interface Writers {
  /** Waits for what is under way. @returns how many writes were answered, by status */
  stop(): Promise<Readonly<Record<number, number>>>
}

export interface WritersOptions {
  readonly namespaceKeys: readonly [string, ...string[]]
  /** All together. */
  readonly perSecond: number
}

const usual = createRandom(Date.now())

/** Enough for them to get in each other's way. */
const writers = 4

export function startWriters(api: Request, { namespaceKeys, perSecond }: WritersOptions): Writers {
  const statuses: Record<number, number> = {}
  const pauseMs = (writers * 1000) / perSecond
  let isOver = false
  const writing = Array.from({ length: writers }, async () => {
    while (!isOver) {
      const { status } = await api(...drawChange(usual, usual.pick(namespaceKeys)))
      statuses[status] = (statuses[status] ?? 0) + 1
      await sleep(Math.random() * 2 * pauseMs)
    }
  })
  return {
    async stop() {
      isOver = true
      await Promise.all(writing)
      return statuses
    },
  }
}

/**
 * A request for one of everything that can be done, to one of a few things; the namespace itself comes and
 * goes.
 */
export function drawChange(
  { pick, below }: Random,
  namespaceKey: string,
): readonly [method: string, path: string, body?: object] {
  const namespace = `/api/v1/namespaces/${namespaceKey}`
  const flagKey = `flag-${pick([1, 2, 3, 4, 5, 6])}`
  const segmentKey = `segment-${pick([1, 2, 3])}`
  const flag = `${namespace}/flags/${flagKey}`
  const segment = `${namespace}/segments/${segmentKey}`
  const number = 1 + below(1000)
  const type = pick(['BOOLEAN_FLAG_TYPE', 'VARIANT_FLAG_TYPE'])
  const constraint = { type: 'STRING_COMPARISON_TYPE', property: 'p', operator: 'eq' }
  const choices: readonly (readonly [string, string, object?])[] = [
    ['POST', `${namespace}/flags`, { key: flagKey, name: 'Flag', type }],
    ['POST', `${namespace}/flags`, { key: flagKey, name: 'Flag', type }],
    ['PUT', flag, { name: `Flag ${number}`, enabled: number % 2 === 0 }],
    ['PUT', flag, { name: `Flag ${number}`, enabled: number % 2 === 0 }],
    ['DELETE', flag],
    ['POST', `${flag}/variants`, { key: `variant-${number}`, attachment: `{"n":${number}}` }],
    ['POST', `${flag}/rules`, { segmentKey, rank: number }],
    ['POST', `${flag}/rollouts`, { rank: number, segment: { segmentKey, value: true } }],
    ['POST', `${flag}/rollouts`, { rank: number, threshold: { percentage: number / 10 } }],
    ['POST', `${namespace}/segments`, { key: segmentKey, name: 'Segment' }],
    ['PUT', segment, { name: `Segment ${number}` }],
    ['DELETE', segment],
    ['POST', `${segment}/constraints`, { ...constraint, value: String(number) }],
    ['POST', '/api/v1/namespaces', { key: namespaceKey, name: 'Namespace' }],
    // Rarely: all that was in it is gone then.
    number > 800 && namespaceKey !== 'default'
      ? ['DELETE', `${namespace}?force=true`]
      : ['PUT', flag, { name: 'Flag', enabled: true }],
  ]
  return pick(choices)
}
