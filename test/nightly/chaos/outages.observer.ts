import { setTimeout as sleep } from 'node:timers/promises'
import { createToken } from '../../support/api.ts'
import { readFixture } from '../../support/fixtures.ts'
import type { Fleet } from '../../support/fleet.ts'
import { type Measured, percentiles, startLoad, timeUntil } from '../../support/load.ts'
import { loadDocument } from '../../support/load-document.ts'
import { openRawClient, requestBytes } from '../../support/raw-http.ts'

interface PartState {
  readonly state: string
  readonly ageSeconds: number
}

/** What a gateway said of itself. */
export interface Sample {
  /** Since the outage began. */
  readonly atMs: number
  readonly readyStatus: number
  readonly flags: PartState
  readonly auth: PartState
  /** `X-Svc-Data-Age` of an evaluation. */
  readonly dataAge: number | undefined
}

interface Write {
  readonly status: number
  readonly tookMs: number
}

/** A gateway under a constant load of evaluations with tokens that it knows. */
export interface Outages {
  readonly perSecond: number
  /** Looks at the gateway, and tries to write, for so long. */
  watch(forMs: number): Promise<{ readonly samples: Sample[]; readonly writes: Write[] }>
  /**
   * Waits until writes work and are evaluated, and nothing is said to be old.
   *
   * @returns how long that took, in milliseconds
   */
  recover(): Promise<number>
  /** What came of the evaluations since the last call, and how long they took. */
  takeOutcomes(): Promise<{ readonly outcomes: Measured['outcomes']; readonly took: string }>
}

/** How many tokens take turns; two of them may do nothing but evaluate in their namespace. */
const tokenCount = 6

/** How long a recovery is waited for at all. */
const patienceMs = 30_000

const flags = '/api/v1/namespaces/default/flags'

/** What is evaluated, and the part of the answer that has to be in it. */
const questions = [
  ['boolean', '{"flagKey":"on"}', '"enabled":true'],
  ['boolean', '{"flagKey":"off"}', '"enabled":false'],
  ['boolean', '{"flagKey":"some","context":{"plan":"pro"}}', '"enabled":true'],
  ['boolean', '{"flagKey":"some","context":{"plan":"free"}}', '"enabled":false'],
  ['variant', '{"flagKey":"color"}', '"variantKey":"blue"'],
] as const

async function createTokens({ api, token }: Fleet): Promise<readonly string[]> {
  const others = Array.from({ length: tokenCount - 1 }, (_, index) =>
    createToken(api, index < 2 ? { namespaceKey: 'default' } : {}),
  )
  return [token, ...(await Promise.all(others)).map(({ clientToken }) => clientToken)]
}

/** @param perSecond how many evaluations */
export async function openOutages(
  t: { teardown(work: () => Promise<void>): void },
  fleet: Fleet,
  perSecond = 500,
): Promise<Outages> {
  const { gateways, api } = fleet
  const client = openRawClient(gateways[0]?.port ?? 0)
  await loadDocument(api, readFixture('outages'))
  const tokens = await createTokens(fleet)

  const requests = tokens.flatMap((token) =>
    questions.map(([kind, body, expected]) => {
      const headers = { authorization: `Bearer ${token}` }
      return { bytes: requestBytes(`/evaluate/v1/${kind}`, body, headers), expected }
    }),
  )

  let turn = 0
  const evaluate = async () => {
    const request = requests[turn++ % requests.length]
    if (request === undefined) throw new Error('there is nothing to ask')
    const { status, text } = await client.send(request.bytes)
    return status === 200 && text.includes(request.expected) ? 'right' : `${status} ${text}`
  }
  for (const _ of requests) {
    const outcome = await evaluate()
    if (outcome !== 'right') throw new Error(`before the outage: ${outcome}`)
  }
  let load = startLoad(perSecond, evaluate)
  t.teardown(async () => {
    await load.stop()
    client.close()
  })

  const ask = () => api('POST', '/evaluate/v1/boolean', { flagKey: 'probe' })
  async function look(startedAt: number): Promise<Sample> {
    const atMs = performance.now() - startedAt
    const [ready, answer] = await Promise.all([api('GET', '/readyz'), ask()])
    const age = answer.headers.get('x-svc-data-age')
    const { parts } = ready.body as { parts: { flags: PartState; auth: PartState } }
    const dataAge = age === null ? undefined : Number(age)
    return { atMs, readyStatus: ready.status, ...parts, dataAge }
  }

  async function write(body: object): Promise<Write> {
    const startedAt = performance.now()
    const { status } = await api('PUT', `${flags}/probe`, { name: 'Probe', ...body })
    return { status, tookMs: performance.now() - startedAt }
  }

  let isEnabled = false
  return {
    perSecond,

    async watch(forMs) {
      const startedAt = performance.now()
      const samples: Sample[] = []
      const writes: Write[] = []
      const isOver = () => performance.now() - startedAt > forMs
      const looking = (async () => {
        for (; !isOver(); await sleep(1000)) samples.push(await look(startedAt))
      })()
      // The first breath of an outage is another matter: what is under way then breaks off.
      for (await sleep(500); !isOver(); await sleep(2000)) {
        writes.push(await write({ enabled: isEnabled }))
      }
      await looking
      return { samples, writes }
    },

    recover() {
      isEnabled = !isEnabled
      return timeUntil(async () => {
        const { status } = await write({ enabled: isEnabled })
        const { flags, auth, dataAge } = await look(0)
        const answer = await ask()
        const isShown = (answer.body as { enabled?: boolean }).enabled === isEnabled
        const isCurrent = flags.state === 'current' && auth.state === 'current'
        return status === 200 && isShown && isCurrent && dataAge === undefined
      }, patienceMs)
    },

    async takeOutcomes() {
      const before = load
      load = startLoad(perSecond, evaluate)
      const { outcomes, tookMs } = await before.stop()
      return { outcomes, took: percentiles(tookMs) }
    },
  }
}
