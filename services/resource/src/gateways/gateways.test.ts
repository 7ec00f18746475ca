import t from 'tap'
import { openResources, type Resources, type Test } from '../testing/resources.ts'
import { removeSilentGateways } from './gateways.store.ts'

/** Reports of gateways that have everything, each with a number that is later than those before. */
async function openReports(t: Test) {
  const resources = await openResources(t)
  let number = 0
  const report = (gatewayId: string, more: Parameters<Resources['reportPosition']>[0] = {}) => {
    number += 1
    const usual = { version: '1.1.0', number, startedMsAgo: 5000, dataAgeMs: 0 }
    return resources.reportPosition({ gatewayId, ...usual, ...more })
  }
  const at = (namespaceKey: string, revision: number, tookMs?: number) => {
    return { positions: [{ namespaceKey, revision, tookMs }] }
  }
  const age = (gatewayId: string, seconds: number) =>
    resources.db.query(
      `UPDATE resource.gateways SET seen_at = now() - $2 * interval '1 second' WHERE id = $1`,
      [gatewayId, seconds],
    )
  const revision = async () => (await resources.revision()) ?? 0
  return { ...resources, report, at, age, revision }
}

t.test('a position is what the gateway reported last', async (t) => {
  const { createFlag, getPropagation, report, at, revision } = await openReports(t)
  await createFlag({ key: 'a', name: 'A' })
  const first = await revision()
  await report('gw-1', at('default', first, 41))
  await report('gw-2', at('default', first))
  t.match(await getPropagation({}), { revision: first, gateways: 2, slowestMs: 41, settled: true })
  await createFlag({ key: 'b', name: 'B' })
  const second = await revision()
  await report('gw-2', at('default', second, 7))
  t.match(await getPropagation({}), {
    revision: second,
    gateways: 2,
    reached: 1,
    slowestMs: 7,
    settled: false,
    positions: [
      { id: 'gw-1', version: '1.1.0', revision: first, ms: 41 },
      { id: 'gw-2', revision: second, ms: 7 },
    ],
  })
  t.match(await getPropagation({ revision: first }), { reached: 2, slowestMs: 41, settled: true })
})

t.test('a report that a later one has overtaken counts for nothing', async (t) => {
  const { report, at, getPropagation, revision } = await openReports(t)
  const now = await revision()
  await report('gw-1', { ...at('default', now), number: 7 })
  await report('gw-1', { positions: [], dataAgeMs: 100_000, number: 6 })
  t.match((await getPropagation({})).positions, [{ revision: now }])
})

t.test('a gateway need not name what has not changed for long', async (t) => {
  const { report, createFlag, createNamespace, getPropagation, db } = await openReports(t)
  await createNamespace({ key: 'other', name: 'Other' })
  await createFlag({ key: 'a', name: 'A' })
  const setChanged = (ago: string | null) =>
    db.query(`UPDATE resource.namespaces SET changed_at = now() - $1::interval`, [ago])
  const reached = async () => (await getPropagation({})).reached

  await t.test('it is known by when the gateway had everything', async (t) => {
    await setChanged('2 hours')
    await report('gw-1', { dataAgeMs: 7_170_000 })
    t.equal(await reached(), 0, 'at most a minute later')
    await report('gw-1', { dataAgeMs: 7_110_000 })
    t.equal(await reached(), 1, 'more than a minute later')
  })

  await t.test('a change of this minute has to be named', async (t) => {
    await setChanged('50 seconds')
    await report('gw-1')
    t.equal(await reached(), 0)
  })

  await t.test('what never changed since the upgrade is with all', async (t) => {
    await setChanged(null)
    await report('gw-1', { dataAgeMs: 7_000_000 })
    t.equal(await reached(), 1)
  })
})

t.test('a gateway that leaves is gone at once, one that is silent after a minute', async (t) => {
  const { report, age, getPropagation, listGateways, reportDeparture, db } = await openReports(t)
  for (const id of ['gw-1', 'gw-2', 'gw-3']) await report(id)
  await reportDeparture({ gatewayId: 'gw-1' })
  await reportDeparture({ gatewayId: 'gw-1' })
  t.match(await getPropagation({}), { gateways: 2, positions: [{ id: 'gw-2' }, { id: 'gw-3' }] })
  await age('gw-2', 59)
  t.equal((await getPropagation({})).gateways, 2)
  await age('gw-2', 61)
  t.match(await getPropagation({}), { gateways: 1, positions: [{ id: 'gw-3' }] })
  t.match((await listGateways({})).gateways, [{ id: 'gw-3' }])

  await t.test('and any of several replicas deletes it, once', async (t) => {
    await age('gw-3', 59)
    await Promise.all(Array.from({ length: 4 }, () => removeSilentGateways(db)))
    t.strictSame(await db.query('SELECT id FROM resource.gateways'), [{ id: 'gw-3' }])
  })

  await t.test('until it reports again', async (t) => {
    await report('gw-2')
    t.equal((await getPropagation({})).gateways, 2)
  })
})

t.test('gateways are listed with their age and that of their data', async (t) => {
  const { report, listGateways } = await openReports(t)
  t.strictSame(await listGateways({}), { gateways: [] })
  await report('gw-2', { startedMsAgo: 86_400_000, dataAgeMs: 31_000 })
  await report('gw-1', { version: '1.2.0' })
  const { gateways } = await listGateways({})
  t.match(gateways, [
    { id: 'gw-1', version: '1.2.0' },
    { id: 'gw-2', version: '1.1.0' },
  ])
  const [, second] = gateways
  t.ok((second?.dataAgeMs ?? 0) >= 31_000)
  t.ok((second?.startedAt?.seconds ?? Number.NaN) < Date.now() / 1000 - 86_000)
})

t.test('what is no report is refused and changes nothing', async (t) => {
  const { report, at, db, getPropagation } = await openReports(t)
  const positions = Array.from({ length: 1001 }, (_, n) => at(`n${n}`, 1).positions).flat()
  const refused = {
    'no id': { gatewayId: '' },
    'a long id': { gatewayId: 'g'.repeat(65) },
    'no number': { number: 0 },
    'an age in the future': { dataAgeMs: -1 },
    'an age beyond all dates': { startedMsAgo: 1e15 },
    'a namespace that cannot be': at('a b', 1),
    'too many positions': { positions },
  }
  for (const [what, more] of Object.entries(refused)) {
    await t.rejects(report('gw-1', more), { code: 'invalid_argument' }, what)
  }
  t.strictSame(await db.query('SELECT id FROM resource.gateways'), [])
  const missing = { code: 'not_found', message: 'namespace "nope" not found' }
  await t.rejects(getPropagation({ namespaceKey: 'nope' }), missing)
  await t.rejects(getPropagation({ namespaceKey: 'a b' }), { code: 'invalid_argument' })
})

t.test('a namespace may be called like a member of all objects', async (t) => {
  const { report, at, createNamespace, getPropagation, revision, db } = await openReports(t)
  await createNamespace({ key: '__proto__', name: 'Odd' })
  const [{ revision: odd } = { revision: 0 }] = await db.query<{ revision: number }>(
    `SELECT revision FROM resource.namespaces WHERE key = '__proto__'`,
  )
  t.ok(odd > (await revision()))
  await report('gw-1', at('__proto__', odd, 3))
  t.match(await getPropagation({ namespaceKey: '__proto__' }), { reached: 1, slowestMs: 3 })
})
