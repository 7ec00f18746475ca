import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { startFleet } from '../../support/fleet.ts'
import { type Answer, call } from '../../support/http.ts'
import { startLoad } from '../../support/load.ts'
import { percentiles } from '../../support/percentiles.ts'
import { untilReady } from '../../support/stack.ts'

/** How often one of two replicas is killed, unless the environment says less; and how often stopped. */
const kills = Number(process.env.REPLICA_KILLS ?? 100)
const stops = Math.ceil(kills / 5)

/** How long one stays stopped: longer than it takes to notice. */
const stoppedMs = 2500

/** How long a request may take whose replica has just been stopped. */
const slowestMs = 1500

/** How long all replicas are down, how soon that is said, and how soon all is well afterwards. */
const allDownMs = 30_000
const refusalMs = 1200
const recoveryMs = 2000

const perSecond = 50

t.test('auth replicas that go', { timeout: 900_000 }, async (t) => {
  const database = await createTestDatabase(t)
  const fleet = await startFleet(t, { databaseUrl: database.url, auths: 2, gateways: 2 })
  const { api, urls, auths, token } = fleet
  const flag = { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
  await api('POST', '/api/v1/namespaces/default/flags', flag)
  const { body } = await api('POST', '/auth/v1/method/token', { name: 'reader' })
  const reader = String((body as { clientToken: unknown }).clientToken)

  let count = 0
  const ask = (method: string, path: string, credential: string, body?: object, more = {}) => {
    count += 1
    const url = urls[count % urls.length] ?? urls[0]
    return call(url, method, path, body, { authorization: `Bearer ${credential}`, ...more })
  }
  const evaluate = (credential: string) =>
    ask('POST', '/evaluate/v1/boolean', credential, { flagKey: 'on' })
  const read = (credential: string) => ask('GET', '/api/v1/namespaces/default/flags/on', credential)
  const self = (credential: string) => ask('GET', '/auth/v1/self', credential)
  const write = () => ask('PUT', '/api/v1/namespaces/default/flags/on', token, flag)
  const kinds = [() => evaluate(reader), () => read(reader), () => self(reader), write]

  /** @returns what came of it, and what was slow */
  const under = async (work: () => Promise<void>) => {
    const tookMs: number[] = []
    const load = startLoad(perSecond, async () => {
      const startedAt = performance.now()
      const { status, text } = await (kinds[count % kinds.length] ?? write)()
      tookMs.push(performance.now() - startedAt)
      return status === 200 ? 'right' : `${status} ${text}`
    })
    await work()
    return { outcomes: await load.stop(), tookMs }
  }

  await t.test(`one of two is killed ${kills} times: nothing fails`, async (t) => {
    const { outcomes, tookMs } = await under(async () => {
      for (let i = 0; i < kills; i += 1) {
        const replica = auths[i % auths.length]
        await replica?.kill()
        await sleep(200)
        await replica?.restart()
        // As long as a gateway takes to find it again.
        await sleep(1200)
      }
    })
    t.comment(`${kills} kills: ${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
    t.strictSame(Object.keys(outcomes), ['right'])
  })

  await t.test(
    `one of two is stopped ${stops} times: nothing fails, nothing is slow`,
    async (t) => {
      const { outcomes, tookMs } = await under(async () => {
        for (let i = 0; i < stops; i += 1) {
          const replica = auths[i % auths.length]
          await replica?.kill('SIGSTOP')
          await sleep(stoppedMs)
          await replica?.kill('SIGCONT')
          await sleep(1500)
        }
      })
      t.comment(`${stops} stops: ${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
      t.strictSame(Object.keys(outcomes), ['right'])
      t.ok(Math.max(...tookMs) <= slowestMs, `${Math.round(Math.max(...tookMs))} ms at most`)
    },
  )

  await t.test(`all are down for ${allDownMs} ms: evaluation goes on`, async (t) => {
    const evaluations: Answer[] = []
    const others: { name: string; answer: Answer; tookMs: number; startedAtMs: number }[] = []
    for (const url of urls)
      await call(
        url,
        'POST',
        '/evaluate/v1/boolean',
        { flagKey: 'on' },
        {
          authorization: `Bearer ${reader}`,
        },
      )

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
    await Promise.all(auths.map((auth) => auth.kill()))
    const startedAt = performance.now()
    const passedMs = () => performance.now() - startedAt
    const load = startLoad(perSecond, async () => {
      const answer = await evaluate(reader)
      evaluations.push(answer)
      return answer.status === 200 ? 'right' : `${answer.status} ${answer.text}`
    })
    while (passedMs() < allDownMs) {
      for (const [name, question] of Object.entries(questions)) {
        const startedAtMs = passedMs()
        const answer = await question()
        others.push({ name, answer, tookMs: passedMs() - startedAtMs, startedAtMs })
      }
      await sleep(200)
    }
    const outcomes = await load.stop()
    await Promise.all(auths.map((auth) => auth.restart()))
    const backAt = performance.now()
    while ((await read(token)).status !== 200 && performance.now() - backAt < 10_000) {
      await sleep(20)
    }
    const recovered = Math.round(performance.now() - backAt)
    await Promise.all(urls.map(untilReady))

    t.comment(`evaluations: ${JSON.stringify(outcomes)}; all is well after ${recovered} ms`)
    t.strictSame(Object.keys(outcomes), ['right'])
    t.ok(recovered <= recoveryMs, `${recovered} ms`)
    // What management is known of is good for five seconds.
    const late = others.filter(({ startedAtMs }) => startedAtMs > 6000)
    for (const name of Object.keys(questions)) {
      const asked = late.filter((one) => one.name === name)
      const statuses = new Set(asked.map(({ answer }) => answer.status))
      const tookMs = asked.map((one) => one.tookMs)
      t.comment(`${name}: ${asked.length} times ${[...statuses]}; ${percentiles(tookMs)} ms`)
      t.strictSame([...statuses], [503], `${name}: 503`)
      t.ok(Math.max(...tookMs) <= refusalMs, `${name}: ${Math.max(...tookMs)} ms`)
      const cookies = asked.filter(({ answer }) => answer.headers.has('set-cookie'))
      t.strictSame(cookies, [], `${name}: no cookie is cleared`)
    }
  })
})
