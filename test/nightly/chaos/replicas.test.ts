import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createFlag, createToken } from '../../support/api.ts'
import { figure, wrongOf } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { type Answer, call } from '../../support/http.ts'
import { measure, percentiles, timeUntil } from '../../support/load.ts'
import { untilReady } from '../../support/stack.ts'

/** How often one of two replicas is killed, and how often stopped, unless the environment says less. */
const killed = Number(process.env.REPLICA_KILLS ?? 100)
const kills = { auth: killed, resource: killed }
const stops = { auth: Math.ceil(killed / 5), resource: Math.ceil(killed / 10) }

/** How long one stays stopped: longer than it takes to notice. */
const stoppedMs = { auth: 2500, resource: 4000 }

/** How long a request may take whose replica has just been stopped: as long as it takes to notice. */
const slowestMs = { auth: 1500, resource: 2000 }

/** How long all replicas are down, how soon that is said, and how soon all is well afterwards. */
const allDownMs = 30_000
const refusalMs = 1200
const recoveryMs = 2000

const perSecond = 50

t.test('while replicas go', { timeout: 1_800_000 }, async (t) => {
  const fleet = await startFleet(t, { auths: 2, resources: 2, gateways: 2 })
  const { api, urls, token } = fleet
  const replicasOf = { auth: fleet.auths, resource: fleet.resources }
  const flag = await createFlag(api)
  const { clientToken: reader } = await createToken(api)

  let count = 0
  const ask = (method: string, path: string, credential: string, body?: object) => {
    count += 1
    const url = urls[count % urls.length] ?? urls[0]
    return call(url, method, path, body, { authorization: `Bearer ${credential}` })
  }
  const flagPath = '/api/v1/namespaces/default/flags/on'
  const evaluate = (credential: string) =>
    ask('POST', '/evaluate/v1/boolean', credential, { flagKey: 'on' })
  const read = (credential: string) => ask('GET', flagPath, credential)
  const outcomeOf = async (asked: Promise<Answer>, expected = 200) => {
    const { status, text } = await asked
    return status === expected ? 'right' : `${status} ${text}`
  }
  // An unknown token has to be asked about; the answer to that is a good one.
  const reads = [() => outcomeOf(read(reader)), () => outcomeOf(read(`unknown-${count}`), 401)]
  const kinds = {
    resource: reads,
    auth: [
      ...reads,
      () => outcomeOf(evaluate(reader)),
      () => outcomeOf(ask('GET', '/auth/v1/self', reader)),
      () => outcomeOf(ask('PUT', flagPath, token, flag)),
    ],
  }

  for (const name of ['auth', 'resource'] as const) {
    const row = name === 'auth' ? 'R-10' : 'R-12'
    const replica = (i: number) => replicasOf[name][i % 2]
    let turn = 0
    const work = async () => (await kinds[name][turn++ % kinds[name].length]?.()) ?? 'nothing'

    await t.test(`${name} is killed ${kills[name]} times: nothing fails`, async (t) => {
      const { outcomes, tookMs } = await measure(perSecond, work, async () => {
        for (let i = 0; i < kills[name]; i += 1) {
          await replica(i)?.kill()
          await sleep(300)
          await replica(i)?.restart()
          // Until all have found it again: then the other one is killed.
          await sleep(1500)
        }
      })
      t.comment(`${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
      figure(t, row, `failed requests in ${kills[name]} kills`, { atMost: 0 }, wrongOf(outcomes))
    })

    await t.test(`${name} is stopped ${stops[name]} times: nothing is slow`, async (t) => {
      const { outcomes, tookMs } = await measure(perSecond, work, async () => {
        for (let i = 0; i < stops[name]; i += 1) {
          await replica(i)?.kill('SIGSTOP')
          await sleep(stoppedMs[name])
          await replica(i)?.kill('SIGCONT')
          await sleep(2000)
        }
      })
      t.comment(`${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
      figure(t, row, `failed requests in ${stops[name]} hangs`, { atMost: 0 }, wrongOf(outcomes))
      const most = { atMost: slowestMs[name], unit: 'ms' }
      figure(t, row, 'the slowest request meanwhile', most, Math.max(...tookMs))
    })
  }

  await t.test(`all of auth are down for ${allDownMs} ms: evaluation continues`, async (t) => {
    const others: { name: string; answer: Answer; tookMs: number; startedAtMs: number }[] = []
    for (const _ of urls) await evaluate(reader)
    const questions: Readonly<Record<string, () => Promise<Answer>>> = {
      'a login': () => ask('POST', '/auth/v1/session', reader, { token }),
      'a new token': () => ask('POST', '/auth/v1/method/token', token, { name: 'late' }),
      'a token not seen before': () => evaluate(`unseen-${count}`),
      management: () => read(token),
      'a browser': () =>
        call(urls[0], 'GET', '/api/v1/namespaces', undefined, {
          cookie: `svc_client_token=${token}`,
        }),
    }
    await Promise.all(fleet.auths.map((auth) => auth.kill()))
    const startedAt = performance.now()
    const passedMs = () => performance.now() - startedAt
    const work = () => outcomeOf(evaluate(reader))
    const { outcomes } = await measure(perSecond, work, async () => {
      while (passedMs() < allDownMs) {
        for (const [name, question] of Object.entries(questions)) {
          const startedAtMs = passedMs()
          const answer = await question()
          others.push({ name, answer, tookMs: passedMs() - startedAtMs, startedAtMs })
        }
        await sleep(200)
      }
    })
    await Promise.all(fleet.auths.map((auth) => auth.restart()))
    const recovered = await timeUntil(async () => (await read(token)).status === 200, 10_000)
    await Promise.all(urls.map(untilReady))

    t.comment(`evaluations: ${JSON.stringify(outcomes)}; all is well after ${recovered} ms`)
    figure(t, 'R-11', 'failed evaluations of known tokens', { atMost: 0 }, wrongOf(outcomes))
    figure(t, 'R-11', 'back after', { atMost: recoveryMs, unit: 'ms' }, recovered)
    let slowest = 0
    // What management is known of is good for five seconds.
    const late = others.filter(({ startedAtMs }) => startedAtMs > 6000)
    for (const name of Object.keys(questions)) {
      const asked = late.filter((one) => one.name === name)
      const statuses = new Set(asked.map(({ answer }) => answer.status))
      const tookMs = asked.map((one) => one.tookMs)
      t.comment(`${name}: ${asked.length} times ${[...statuses]}; ${percentiles(tookMs)} ms`)
      t.strictSame([...statuses], [503], `${name}: 503`)
      slowest = Math.max(slowest, ...tookMs)
      const cookies = asked.filter(({ answer }) => answer.headers.has('set-cookie'))
      t.strictSame(cookies, [], `${name}: no cookie is cleared`)
    }
    figure(t, 'R-11', 'the slowest refusal', { atMost: refusalMs, unit: 'ms' }, slowest)
  })
})
