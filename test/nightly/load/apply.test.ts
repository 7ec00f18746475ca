import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { askToApply, makeDraft, untilSettled } from '../../support/drafts.ts'
import { startFleet } from '../../support/fleet.ts'
import { type Measured, measure, percentiles, quantile } from '../../support/load.ts'
import { openRawClient, requestBytes } from '../../support/raw-http.ts'
import { longestTurnOf, turnProbe } from '../../support/turn-probe.ts'

/** Operations of one apply, as many as it takes. */
const operationCount = 1000

/** Each a change of all that the apply is about. */
const applies = 5

const perSecond = 500

/** Longest turn of the gateway's event loop, in milliseconds of processor time. */
const maxTurnMs = 20

/** A load without an apply, in milliseconds, to which one is compared. */
const quietMs = 5000

/** The p99 of the evaluations that begin while an apply lasts, compared to that of the load before it. */
const maxRatio = 5

/** Flags of one draft, and the time until it is applied, in milliseconds. */
const draftCount = 10_000
const maxDraftMs = 30_000

/** Each with a share, two rollouts and what a team writes. @param round differs from the one before */
function flagsOf(prefix: string, count: number, round: number): object[] {
  return Array.from({ length: count }, (_, n) => {
    const rollouts = [
      { segment: { segments: ['staff'], value: true } },
      { threshold: { percentage: (n + round) % 100, value: true } },
    ]
    const flag = {
      ...{ type: 'BOOLEAN_FLAG_TYPE', name: `Flag ${n}`, enabled: true },
      ...{ description: `Shows the new page to some. Round ${round}`, rollouts },
      metadata: { owner: `team-${n % 12}`, tags: [`tag-${n % 10}`] },
    }
    return { kind: 'FLAG_KIND', key: `${prefix}-${n}`, flag }
  })
}

t.setTimeout(300_000)

t.test('an apply, and evaluations meanwhile', async (t) => {
  const probed = { NODE_OPTIONS: turnProbe }
  const fleet = await startFleet(t, { envOf: { gateway: probed, resource: probed } })
  const { api } = fleet
  const [gateway] = fleet.gateways
  const [resource] = fleet.resources
  if (gateway === undefined || resource === undefined) throw new Error('no fleet')
  const namespace = '/api/v1/namespaces/default'
  const constraint = {
    ...{ type: 'STRING_COMPARISON_TYPE', property: 'mail', operator: 'suffix', value: '@us' },
  }
  await api('PUT', `${namespace}/documents/segments/staff`, {
    segment: { name: 'Staff', constraints: [constraint] },
  })
  const apply = async (operations: readonly object[]) => {
    const { status, text } = await api('POST', `${namespace}/apply`, { operations })
    if (status !== 200) throw new Error(`${status} ${text}`)
  }
  await apply(flagsOf('flag', operationCount, 0))

  const client = openRawClient(gateway.port)
  t.teardown(async () => client.close())
  const credential = { authorization: `Bearer ${fleet.token}` }
  const requests = Array.from({ length: operationCount }, (_, n) => {
    const body = { flagKey: `flag-${n}`, entityId: `entity-${n}`, context: { mail: 'a@us' } }
    return requestBytes('/evaluate/v1/boolean', JSON.stringify(body), credential)
  })
  let asked = 0
  const evaluate = async () => {
    asked += 1
    const request = requests[asked % requests.length] ?? Buffer.alloc(0)
    return String((await client.send(request)).status)
  }

  await t.test(`of ${operationCount} operations is not noticed`, async (t) => {
    const tookMs: number[] = []
    const applyOnce = async (body: Buffer) => {
      const startedAt = performance.now()
      const { status, text } = await client.send(body)
      tookMs.push(performance.now() - startedAt)
      if (status !== 200) throw new Error(`${status} ${text}`)
    }
    // Made before, for it is the gateway that is measured.
    const [forTimes, forTurns] = [1, 1 + applies].map((first) =>
      Array.from({ length: applies }, (_, n) => {
        const operations = flagsOf('flag', operationCount, first + n)
        return requestBytes(`${namespace}/apply`, JSON.stringify({ operations }), credential)
      }),
    )
    await measure(perSecond, evaluate, () => sleep(quietMs))
    const outcomes = new Set<string>()
    const p99Of = ({ outcomes: found, tookMs }: Measured) => {
      for (const outcome of Object.keys(found)) outcomes.add(outcome)
      t.comment(`${tookMs.length} evaluations: ${percentiles(tookMs)} ms`)
      return quantile(tookMs, 0.99)
    }
    const ratios: number[] = []
    for (const body of forTimes ?? []) {
      const quietP99 = p99Of(await measure(perSecond, evaluate, () => sleep(quietMs)))
      const busyP99 = p99Of(await measure(perSecond, evaluate, () => applyOnce(body)))
      ratios.push(busyP99 / quietP99)
    }
    // By itself, for the probe takes a processor.
    const turns: number[] = []
    const probed = await measure(perSecond, evaluate, async () => {
      for (const body of forTurns ?? []) {
        turns.push(await longestTurnOf(gateway, () => applyOnce(body)))
      }
    })
    t.strictSame(Object.keys(probed.outcomes), ['200'])
    t.comment(`applies took ${tookMs.map(Math.round)} ms`)
    t.comment(`longest turns of the gateway: ${turns.map((ms) => ms.toFixed(1))} ms`)
    t.strictSame([...outcomes], ['200'], 'none fails')
    t.ok(Math.max(...turns) <= maxTurnMs, `no turn over ${maxTurnMs} ms`)
    const ratio = quantile(ratios, 0.5)
    t.comment(`p99 during an apply by that before it: ${ratios.map((one) => one.toFixed(2))}`)
    t.ok(ratio <= maxRatio, `p99 ${ratio.toFixed(2)} times that of before, in the median`)
  })

  await t.test(`of ${draftCount} flags in one draft, and its undo`, async (t) => {
    const operations = flagsOf('draft', draftCount, 0)
    const id = await makeDraft(api, 'default', operations)
    let revision = 0
    let tookMs = 0
    const turnMs = await longestTurnOf(resource, async () => {
      const startedAt = performance.now()
      await askToApply(api, 'default', id)
      const draft = await untilSettled(api, 'default', id)
      tookMs = performance.now() - startedAt
      revision = draft.revision
      t.equal(draft.state, 'APPLIED_DRAFT_STATE', draft.failure)
    })
    t.comment(
      `applied in ${Math.round(tookMs)} ms; longest turn of the service ${turnMs.toFixed(1)} ms`,
    )
    t.ok(tookMs <= maxDraftMs, `applied within ${maxDraftMs / 1000} s`)
    const { body } = await api('GET', `${namespace}/changes/${revision}?limit=1`)
    t.match(body, { source: 'apply', itemCount: draftCount })
    const startedAt = performance.now()
    const { status, text } = await api('POST', `${namespace}/changes/${revision}/undo`, {})
    t.equal(status, 200, text.slice(0, 300))
    t.comment(`undone in ${Math.round(performance.now() - startedAt)} ms`)
  })
})
