import { setTimeout as sleep } from 'node:timers/promises'
import type { Propagation } from '@svc/proto/resource/v1/gateways'
import t from 'tap'
import { startFleet } from '../../support/fleet.ts'

const writes = Number(process.env.WRITES ?? 1000)

const base = '/api/v1/namespaces/default'

/** How often a page asks is up to it; this is finer than what is to be found. */
const askEveryMs = 20

/** Longer than this nothing is waited for. */
const patienceMs = 90_000

const share = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? Number.NaN

const percentiles = (values: readonly number[]) =>
  [0.5, 0.9, 0.99, 1].map((part) => share(values, part).toFixed(0)).join(' / ')

t.test(`${writes} writes settle at three gateways, and those that go are noticed`, async (t) => {
  const fleet = await startFleet(t, { resources: 2, gateways: 3 })
  const { api } = fleet
  const [, killed, closed] = fleet.gateways
  const flag = { key: 'f', name: 'F', type: 'BOOLEAN_FLAG_TYPE', enabled: false }
  await api('POST', `${base}/flags`, flag)

  const write = async (n: number): Promise<number> => {
    const answer = await api('PUT', `${base}/flags/f`, { ...flag, name: `F ${n}` })
    return Number(answer.headers.get('x-svc-revision')?.split(':')[1])
  }
  const read = async (revision?: number) => {
    const query = revision === undefined ? '' : `?revision=${revision}`
    const { status, body } = await api('GET', `${base}/propagation${query}`)
    if (status !== 200) throw new Error(`answered with ${status}`)
    return body as Propagation
  }
  /** @returns what was answered first that holds, and in how many milliseconds */
  const until = async (holds: (answer: Propagation) => boolean, revision?: number) => {
    const startedAt = performance.now()
    for (;;) {
      const answer = await read(revision)
      const tookMs = performance.now() - startedAt
      if (holds(answer)) return { answer, tookMs }
      if (tookMs > patienceMs) throw new Error(`still ${JSON.stringify(answer)}`)
      await sleep(askEveryMs)
    }
  }
  const counts = ({ gateways, reached }: Propagation) => `${reached}/${gateways}`
  await until((answer) => counts(answer) === '3/3')
  for (let n = 0; n < 20; n++) await until(({ settled }) => settled, await write(n))

  await t.test('each write settles, and is said to take no longer than it did', async (t) => {
    const slowest: number[] = []
    const waits: number[] = []
    let wrong = 0
    for (let n = 0; n < writes; n++) {
      const startedAt = performance.now()
      const revision = await write(n)
      const { answer, tookMs } = await until(({ settled }) => settled, revision)
      const { slowestMs = Number.NaN } = answer
      slowest.push(slowestMs)
      waits.push(tookMs)
      // The clocks of two replicas may differ by as much as their readings of the database's do.
      const elapsedMs = performance.now() - startedAt
      if (counts(answer) !== '3/3' || !(slowestMs <= elapsedMs + 20)) wrong += 1
    }
    t.equal(slowest.length, writes)
    t.equal(wrong, 0, `${wrong} answers were wrong`)
    t.comment(`slowest gateway, p50 / p90 / p99 / max: ${percentiles(slowest)} ms`)
    t.comment(`asked until settled, p50 / p90 / p99 / max: ${percentiles(waits)} ms`)
    t.ok(share(slowest, 0.99) <= 200, `99 % within ${share(slowest, 0.99)} ms`)
  })

  await t.test('one that ends is gone at once', async (t) => {
    await closed?.kill('SIGTERM')
    t.equal(counts(await read()), '2/2')
    await fleet.startGateway({})
    await until((answer) => counts(answer) === '3/3')
  })

  const notice = async (name: string, end: () => Promise<void>) => {
    await t.test(`one that ${name} shows within a second and is gone after a minute`, async (t) => {
      const endedAt = performance.now()
      await end()
      const revision = await write(0)
      const { tookMs } = await until((answer) => counts(answer) === '2/3', revision)
      t.comment(`2/3 after ${tookMs.toFixed(0)} ms`)
      t.ok(tookMs <= 1000)
      await until((answer) => counts(answer) === '2/2', revision)
      const goneMs = performance.now() - endedAt
      t.comment(`2/2 after ${(goneMs / 1000).toFixed(1)} s`)
      // Its last report is ten seconds old at most.
      t.ok(goneMs >= 49_000 && goneMs <= 65_000, `${goneMs} ms`)
    })
  }
  await notice('is killed', async () => killed?.kill('SIGKILL'))
  const hanging = await fleet.startGateway({})
  await until((answer) => counts(answer) === '3/3')
  await notice('hangs', () => hanging.kill('SIGSTOP'))

  await t.test('and counts again when it goes on', async (t) => {
    await hanging.kill('SIGCONT')
    const { tookMs } = await until((answer) => counts(answer) === '3/3')
    t.comment(`3/3 after ${tookMs.toFixed(0)} ms`)
    t.ok(tookMs <= 5000)
  })
})
