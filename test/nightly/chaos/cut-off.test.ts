import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createFlag } from '../../support/api.ts'
import { type Fault, startFaultProxy } from '../../support/fault-proxy.ts'
import { figure } from '../../support/figures.ts'
import { type Fleet, startFleet } from '../../support/fleet.ts'
import { call } from '../../support/http.ts'
import { timeUntil } from '../../support/load.ts'

/** How soon a gateway that receives no changes has to say so. */
const staleMs = 7500

/** How long it goes on being cut off, so that its age is seen to grow. */
const cutOffMs = 15_000

/** How soon it is as before when it is no longer cut off. */
const recoveryMs = 3000

const faults: readonly Fault[] = ['cut', 'freeze', 'lose', { bytesPerSecond: 20 }]

/** How long a recovery is waited for at all. */
const patienceMs = 15_000

/** Every way to be answered from memory. */
const questions = [
  ['POST', '/evaluate/v1/boolean', { flagKey: 'on' }],
  ['POST', '/evaluate/v1/boolean?past', { flagKey: 'on' }],
  ['POST', '/evaluate/v1/batch', { requests: [{ flagKey: 'on' }] }],
  ['POST', '/ofrep/v1/evaluate/flags/on', { context: { targetingKey: 'e' } }],
  ['POST', '/ofrep/v1/evaluate/flags', { context: { targetingKey: 'e' } }],
  ['GET', '/internal/v1/evaluation/snapshot/namespace/default', undefined],
] as const

/** A gateway that can be cut off from the resource service alone. */
async function openGateway(t: Test, { startGateway, resources, token }: Fleet) {
  const proxy = await startFaultProxy(t, resources[0]?.port ?? 0)
  const { url } = await startGateway({ SVC_RESOURCE_ADDRESS: proxy.address })
  const authorization = `Bearer ${token}`
  return {
    proxy,
    /** Asks in every way. @returns whether the flag is on, and how old each answer is said to be */
    async look() {
      const answers = await Promise.all(
        questions.map(([method, path, body]) => call(url, method, path, body, { authorization })),
      )
      const failed = answers.find(({ status }) => status !== 200)
      if (failed !== undefined) throw new Error(`${failed.status} ${failed.text}`)
      const headers = answers.map((answer) => answer.headers.get('x-svc-data-age'))
      const ages = headers.map((header) => (header === null ? undefined : Number(header)))
      return { ages, isOn: answers[0]?.text.includes('"enabled":true') === true }
    },
    async readiness() {
      const { status, body } = await call(url, 'GET', '/readyz')
      return { status, state: (body as { parts: { flags: { state: string } } }).parts.flags.state }
    },
  }
}

type Gateway = Awaited<ReturnType<typeof openGateway>>

/** What a gateway says from the moment when it is cut off. */
async function cutOff({ proxy, look }: Gateway, fault: Fault) {
  const startedAt = performance.now()
  const passedMs = () => performance.now() - startedAt
  const ages: number[] = []
  let saidAfterMs = Number.POSITIVE_INFINITY
  let silences = 0
  proxy.set(fault)
  for (; passedMs() < cutOffMs; await sleep(100)) {
    const askedAfterMs = passedMs()
    const answers = await look()
    const said = answers.ages.filter((age) => age !== undefined)
    if (said.length === questions.length) saidAfterMs = Math.min(saidAfterMs, askedAfterMs)
    else if (askedAfterMs > staleMs) silences += 1
    if (said.length > 0) ages.push(Math.max(...said))
  }
  return { fault, saidAfterMs: Math.round(saidAfterMs), silences, ages }
}

/** @returns how long it took until everything was as it is elsewhere, in milliseconds */
function recover({ proxy, look }: Gateway): Promise<number> {
  proxy.set('none')
  return timeUntil(async () => {
    const { ages, isOn } = await look()
    return !isOn && ages.every((age) => age === undefined)
  }, patienceMs)
}

t.test('a gateway that is cut off from changes', async (t) => {
  const fleet = await startFleet(t)
  await createFlag(fleet.api)
  const gateways = await Promise.all(faults.map(() => openGateway(t, fleet)))
  const none = questions.map(() => undefined)
  const before = await Promise.all(gateways.map(({ look }) => look()))
  t.ok(before.every(({ isOn }) => isOn))
  t.strictSame(before[0]?.ages, none, 'nothing is said to be old')

  const cuttingOff = gateways.map((gateway, index) => cutOff(gateway, faults[index] ?? 'cut'))
  await sleep(1000)
  await fleet.api('PUT', '/api/v1/flags/on', { name: 'On', enabled: false })
  const cuts = await Promise.all(cuttingOff)
  const readiness = await Promise.all(gateways.map((gateway) => gateway.readiness()))
  const recoveries = await Promise.all(gateways.map(recover))

  for (const [index, { fault, saidAfterMs, silences, ages }] of cuts.entries()) {
    const name = JSON.stringify(fault)
    const unit = 'ms'
    figure(t, 'R-21', `${name}: said by every answer after`, { atMost: staleMs, unit }, saidAfterMs)
    t.equal(silences, 0, `${name}: and every one after that`)
    t.strictSame(
      ages,
      ages.toSorted((a, b) => a - b),
      `${name}: the age grows`,
    )
    const off = (ages.at(-1) ?? 0) - cutOffMs / 1000
    t.ok(off > -2 && off < 7, `${name}: to ${ages.at(-1)} s`)
    t.strictSame(readiness[index], { status: 200, state: 'stale' })
    const recoveredMs = recoveries[index] ?? Number.POSITIVE_INFINITY
    figure(t, 'R-21', `${name}: all is as before after`, { atMost: recoveryMs, unit }, recoveredMs)
  }
})
