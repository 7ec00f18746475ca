import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createFlag, createToken } from '../../support/api.ts'
import { figure, wrongOf } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { call } from '../../support/http.ts'
import { measure, percentiles, timeUntil } from '../../support/load.ts'
import { lookingUpAt, startNameServer } from '../../support/name-server.ts'

/** How long names have no address, unless the environment says less. */
const outageMs = Number(process.env.OUTAGE_SECONDS ?? 60) * 1000
const perSecond = 50

/** How soon a replica that was restarted meanwhile is used again when names have addresses. */
const recoveryMs = 10_000

t.test(`names have no address for ${outageMs / 1000} s`, { timeout: 300_000 }, async (t) => {
  const names = await startNameServer(t)
  const fleet = await startFleet(t, { auths: 1, resources: 1 })
  const { auths, resources, api } = fleet
  const [auth, resource] = [auths[0], resources[0]]
  if (auth === undefined || resource === undefined) throw new Error('a service is missing')
  const set = (addresses: readonly string[]) => {
    for (const name of ['auth.test', 'resource.test']) names.set(name, addresses)
  }
  set(['127.0.0.1'])
  const { url } = await fleet.startGateway({
    NODE_OPTIONS: lookingUpAt(names),
    SVC_AUTH_ADDRESS: `dns:///auth.test:${auth.port}`,
    SVC_RESOURCE_ADDRESS: `dns:///resource.test:${resource.port}`,
  })
  await createFlag(api)
  const { authorization } = await createToken(api)
  const ask = async (method: string, path: string, body?: object) => {
    const { status, text } = await call(url, method, path, body, { authorization })
    return status === 200 ? 'right' : `${status} ${text}`
  }
  const flagPath = '/api/v1/namespaces/default/flags/on'
  const flag = { name: 'on', enabled: true }
  const questions = [
    () => ask('POST', '/evaluate/v1/boolean', { flagKey: 'on' }),
    () => ask('GET', flagPath),
    () => ask('GET', '/auth/v1/self'),
    () => ask('PUT', flagPath, flag),
  ]
  let turn = 0
  const work = async () => (await questions[turn++ % questions.length]?.()) ?? 'nothing'

  set([])
  const { outcomes, tookMs } = await measure(perSecond, work, () => sleep(outageMs))
  t.comment(`${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
  figure(t, 'R-24', 'failed requests', { atMost: 0 }, wrongOf(outcomes))

  await resource.kill()
  await resource.restart()
  const evaluate = () => ask('POST', '/evaluate/v1/boolean', { flagKey: 'on' })
  const evaluated = await measure(perSecond, evaluate, () => sleep(2000))
  const what = 'failed evaluations while a service restarts as well'
  figure(t, 'R-24', what, { atMost: 0 }, wrongOf(evaluated.outcomes))
  set(['127.0.0.1'])
  const recoveredMs = await timeUntil(
    async () => (await ask('PUT', flagPath, flag)) === 'right',
    30_000,
  )
  figure(t, 'R-24', 'found again after', { atMost: recoveryMs, unit: 'ms' }, recoveredMs)
})
