import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet } from '../../support/fleet.ts'
import { call } from '../../support/http.ts'
import { startLoad } from '../../support/load.ts'

/** Enough for auth to be asked all the time: a gateway does so again every few seconds. */
const tokens = 60

const perSecond = 100

/** Something that was asked, and what came of it. */
interface Sample {
  readonly startedAt: number
  readonly tookMs: number
}

export interface Measured {
  readonly outcomes: Readonly<Record<string, number>>
  /** Of what began between two moments after the start, in milliseconds. */
  p99(fromMs?: number, toMs?: number): number
}

export interface Caller {
  readonly id: string
  readonly clientToken: string
}

/** Tokens that every replica knows, and a client that uses them. */
export async function prepareLoad({ api, urls }: Fleet) {
  const flag = { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
  await api('POST', '/api/v1/namespaces/default/flags', flag)
  const callers: Caller[] = []
  for (let i = 0; i < tokens; i += 1) {
    const { body } = await api('POST', '/auth/v1/method/token', { name: `caller ${i}` })
    const { clientToken, authentication } = body as {
      clientToken: string
      authentication: { id: string }
    }
    callers.push({ id: authentication.id, clientToken })
  }

  let count = 0
  /** One of what can be asked. @returns what is wrong with the answer, or that it is right */
  const ask = async (): Promise<string> => {
    count += 1
    const url = urls[count % urls.length] ?? urls[0]
    const caller = callers[count % callers.length]
    const authorization = `Bearer ${caller?.clientToken}`
    const send = (method: string, path: string, body?: object) =>
      call(url, method, path, body, { authorization })
    if (count % 4 === 0) {
      const { status, text } = await send('POST', '/evaluate/v1/boolean', { flagKey: 'on' })
      return status === 200 && text.includes('"enabled":true') ? 'right' : `${status} ${text}`
    }
    if (count % 4 === 2) {
      const { status, text } = await send('GET', '/api/v1/namespaces/default/flags/on')
      return status === 200 ? 'right' : `${status} ${text}`
    }
    const { status, body, text } = await send('GET', '/auth/v1/self')
    if (status !== 200) return `${status} ${text}`
    return (body as { id?: string }).id === caller?.id ? 'right' : `another token's: ${text}`
  }

  return {
    callers,
    ask,
    async during(work: () => Promise<void>): Promise<Measured> {
      const samples: Sample[] = []
      const beganAt = performance.now()
      const load = startLoad(perSecond, async () => {
        const startedAt = performance.now()
        const outcome = await ask()
        samples.push({ startedAt: startedAt - beganAt, tookMs: performance.now() - startedAt })
        return outcome
      })
      await work()
      const outcomes = await load.stop()
      return {
        outcomes,
        p99(fromMs = 0, toMs = Number.POSITIVE_INFINITY) {
          const chosen = samples
            .filter(({ startedAt }) => startedAt >= fromMs && startedAt < toMs)
            .map(({ tookMs }) => tookMs)
            .sort((a, b) => a - b)
          return Math.round(chosen[Math.ceil(chosen.length * 0.99) - 1] ?? Number.NaN)
        },
      }
    },
  }
}

/** @returns what the processes hold in memory together, in MiB */
export function residentMiB(pids: readonly number[]): number {
  const sizes = pids.map((pid) => {
    const [, size = ''] =
      /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(size)
  })
  return sizes.reduce((sum, size) => sum + size, 0) / 1024
}

/** Looks again and again until something is so. @returns after how many milliseconds it was */
export async function timeUntil(isSo: () => Promise<boolean>, limitMs: number): Promise<number> {
  const startedAt = performance.now()
  while (performance.now() - startedAt < limitMs) {
    if (await isSo()) return Math.round(performance.now() - startedAt)
    await sleep(20)
  }
  return Number.POSITIVE_INFINITY
}
