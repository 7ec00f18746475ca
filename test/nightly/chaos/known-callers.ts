import { createFlag, createToken } from '../../support/api.ts'
import type { Fleet } from '../../support/fleet.ts'
import { call } from '../../support/http.ts'
import { measure, quantile } from '../../support/load.ts'

/** Enough for auth to be asked all the time: a gateway does so again every few seconds. */
const tokens = 60

const perSecond = 100

/** Tokens that every replica knows, and a client that uses them. */
export async function prepareLoad({ api, urls }: Fleet) {
  await createFlag(api)
  const callers: Awaited<ReturnType<typeof createToken>>[] = []
  for (let i = 0; i < tokens; i += 1) callers.push(await createToken(api))

  let count = 0
  /** One of what can be asked. @returns what is wrong with the answer, or that it is right */
  const ask = async (): Promise<string> => {
    count += 1
    const url = urls[count % urls.length] ?? urls[0]
    const caller = callers[count % callers.length]
    const authorization = caller?.authorization ?? ''
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
    /** @returns the outcomes of a load meanwhile, and the p99 of what began between two moments */
    async during(work: () => Promise<unknown>) {
      const { outcomes, samples } = await measure(perSecond, ask, work)
      const p99 = (fromMs = 0, toMs = Number.POSITIVE_INFINITY) => {
        const chosen = samples.filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
        return Math.round(
          quantile(
            chosen.map(({ tookMs }) => tookMs),
            0.99,
          ),
        )
      }
      return { outcomes, p99 }
    },
  }
}
