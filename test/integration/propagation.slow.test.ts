import type { GatewayList, Propagation } from '@svc/proto/resource/v1/gateways'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'
import { startStack } from '../support/stack.ts'

const base = '/api/v1/namespaces/default'
const propagationUrl = `${base}/propagation`

/** The number in `X-Svc-Revision: default:42`. */
const revisionOf = ({ headers }: { readonly headers: Headers }) =>
  Number(headers.get('x-svc-revision')?.split(':')[1])

t.test('a revision is live on all gateways soon after the write', async (t) => {
  const { urls, api, token, closeGateways, createNamespacedToken } = await startStack(t, {
    gateways: 3,
  })
  const read = async (query = '') => (await api('GET', `${propagationUrl}${query}`)).body
  const settle = async (revision: number): Promise<Propagation> => {
    let last: Propagation | undefined
    await waitFor(async () => {
      last = (await read(`?revision=${revision}`)) as Propagation
      return last.settled && last.gateways === 3
    })
    if (last === undefined) throw new Error('unreachable')
    return last
  }

  await t.test('each of 20 writes, with the time that it took', async (t) => {
    for (let n = 1; n <= 20; n++) {
      const flag = { key: `f${n}`, name: 'F', type: 'BOOLEAN_FLAG_TYPE' }
      const revision = revisionOf(await api('POST', `${base}/flags`, flag))
      const { positions, slowestMs, ...counts } = await settle(revision)
      t.strictSame(counts, { revision, gateways: 3, reached: 3, settled: true })
      const times = positions.map(({ ms = -1 }) => ms)
      t.equal(slowestMs, Math.max(...times))
      t.ok(times.every((ms) => ms >= 0))
      t.strictSame(
        positions.map(({ revision }) => revision),
        [revision, revision, revision],
      )
      const ids = positions.map(({ id }) => id)
      t.strictSame([new Set(ids).size, ids], [3, ids.toSorted()])
    }
  })

  await t.test('by each gateway alike', async (t) => {
    const { revision } = (await read()) as Propagation
    for (const url of urls) {
      const headers = { authorization: `Bearer ${token}` }
      const { body } = await call(url, 'GET', propagationUrl, undefined, headers)
      t.match(body, { revision, gateways: 3, reached: 3, settled: true })
    }
  })

  await t.test('also in a namespace that has just been made', async (t) => {
    const other = '/api/v1/namespaces/other'
    await api('POST', '/api/v1/namespaces', { key: 'other', name: 'Other' })
    await waitFor(async () => {
      const { body } = await api('GET', `${other}/propagation`)
      return (body as Propagation).settled
    })
    await api('DELETE', `${other}`)
    t.equal((await api('GET', `${other}/propagation`)).status, 404)
  })

  await t.test('and gateways are listed', async (t) => {
    const { body } = await api('GET', '/api/v1/gateways')
    const { gateways } = body as GatewayList
    t.equal(gateways.length, 3)
    for (const gateway of gateways) {
      t.match(gateway, { id: /^\S+-[0-9a-f]{12}$/, version: /^\d+\.\d+\.\d+/, seenMsAgo: Number })
    }
  })

  await t.test('a revision that there is not yet, or that is none, is refused', async (t) => {
    const { revision } = (await read()) as Propagation
    for (const asked of [String(revision + 1000), '1.5', '-1', 'x']) {
      t.match(await api('GET', `${propagationUrl}?revision=${asked}`), { status: 400 }, asked)
    }
    t.match(await api('GET', `${propagationUrl}?revision=1`), { body: { settled: true } })
  })

  await t.test('a bound token reads that of its namespace alone, and no gateways', async (t) => {
    const authorization = `Bearer ${await createNamespacedToken('other')}`
    for (const [path, status] of [
      [propagationUrl, 403],
      ['/api/v1/gateways', 403],
      ['/api/v1/namespaces/other/propagation', 404],
    ] as const) {
      t.match(await api('GET', path, undefined, { authorization }), { status }, path)
    }
  })

  await t.test('gateways that have ended report nothing more', async (t) => {
    await closeGateways()
    await t.rejects(read())
  })
})

t.test('gateways that end, die or hang', async (t) => {
  const fleet = await startFleet(t, { resources: 2, gateways: 3 })
  const { api, gateways } = fleet
  const [, dying, closing] = gateways
  const read = async () => (await api('GET', propagationUrl)).body as Propagation
  const write = async (key: string) =>
    revisionOf(await api('POST', `${base}/flags`, { key, name: 'F', type: 'BOOLEAN_FLAG_TYPE' }))
  await write('first')
  await waitFor(async () => (await read()).reached === 3)

  await t.test('one that ends is gone at once', async (t) => {
    await closing?.kill('SIGTERM')
    t.match(await read(), { gateways: 2, reached: 2, settled: true })
  })

  await t.test('one that hangs is counted, and behind until it goes on', async (t) => {
    await dying?.kill('SIGSTOP')
    const revision = await write('second')
    await waitFor(async () => (await read()).reached === 1)
    t.match(await read(), { revision, gateways: 2, reached: 1, settled: false })
    await dying?.kill('SIGCONT')
    await waitFor(async () => (await read()).settled)
    t.match(await read(), { revision, gateways: 2, reached: 2 })
  })

  await t.test('one that was killed is counted, and behind', async (t) => {
    await dying?.kill('SIGKILL')
    const revision = await write('third')
    await waitFor(async () => (await read()).reached === 1)
    t.match(await read(), { revision, gateways: 2, reached: 1, settled: false })
  })

  await t.test('one that starts is counted as soon as it evaluates', async (t) => {
    await fleet.startGateway({})
    await waitFor(async () => (await read()).gateways === 3)
    const { positions } = await read()
    t.equal(positions.filter(({ ms }) => ms === undefined).length, 1, 'it has loaded the revision')
  })
})
