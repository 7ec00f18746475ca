import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { startFleet } from '../../support/fleet.ts'
import { call } from '../../support/http.ts'
import { startLoad } from '../../support/load.ts'
import { percentiles } from '../../support/percentiles.ts'
import type { ServiceProcess } from '../../support/service-process.ts'

/** How often each service loses one of its two replicas. */
const kills = 10
const stops = 2

const readsPerSecond = 50

/** How long a read may take whose replica has just been stopped: as long as it takes to notice. */
const slowestMs = 2000

t.test('while one of two replicas of a service goes', { timeout: 300_000 }, async (t) => {
  const database = await createTestDatabase(t)
  const fleet = await startFleet(t, { databaseUrl: database.url, auths: 2, resources: 2 })
  const { api, urls, auths, resources } = fleet
  const namespace = '/api/v1/namespaces/default'
  const flag = { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
  await api('POST', `${namespace}/flags`, flag)
  const { body } = await api('POST', '/auth/v1/method/token', { name: 'reader' })
  const reader = `Bearer ${String((body as { clientToken: unknown }).clientToken)}`

  const tookMs: number[] = []
  let count = 0
  const read = async () => {
    count += 1
    const startedAt = performance.now()
    // An unknown token has to be asked about; the answer to that is a good one.
    const isStranger = count % 2 === 0
    const authorization = isStranger ? `Bearer stranger-${count}` : reader
    const { status, text } = await call(urls[0], 'GET', `${namespace}/flags/on`, undefined, {
      authorization,
    })
    tookMs.push(performance.now() - startedAt)
    return status === (isStranger ? 401 : 200) ? 'right' : `${status} ${text}`
  }
  const under = async (work: () => Promise<void>) => {
    tookMs.length = 0
    const load = startLoad(readsPerSecond, read)
    await work()
    return await load.stop()
  }

  const services = { auth: auths, resource: resources }
  const pick = (replicas: readonly ServiceProcess[], i: number) => replicas[i % replicas.length]

  for (const [name, replicas] of Object.entries(services)) {
    await t.test(`${name} is killed ${kills} times: no read fails`, async (t) => {
      const outcomes = await under(async () => {
        for (let i = 0; i < kills; i += 1) {
          await sleep(300)
          await pick(replicas, i)?.kill()
          await sleep(300)
          await pick(replicas, i)?.restart()
          // Until all have found it again: then the other one is killed.
          await sleep(1500)
        }
      })
      t.comment(`${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
      t.strictSame(Object.keys(outcomes), ['right'])
    })

    await t.test(`${name} is stopped: no read fails, and none takes long`, async (t) => {
      const outcomes = await under(async () => {
        for (let i = 0; i < stops; i += 1) {
          await pick(replicas, i)?.kill('SIGSTOP')
          await sleep(4000)
          await pick(replicas, i)?.kill('SIGCONT')
          await sleep(2000)
        }
      })
      t.comment(`${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
      t.strictSame(Object.keys(outcomes), ['right'])
      t.ok(Math.max(...tookMs) <= slowestMs, `${Math.round(Math.max(...tookMs))} ms at most`)
    })
  }
})
