import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { figure } from '../../support/figures.ts'
import { measurePropagation, type Propagation, toHistogram } from '../../support/propagation.ts'
import { startSilentPostgres } from '../../support/silent-postgres.ts'

const at = ({ delaysMs }: Propagation, share: number) =>
  delaysMs[Math.ceil(delaysMs.length * share) - 1] ?? Number.NaN

t.test('2,000 changes, 50 a second, reach each of three gateways in milliseconds', async (t) => {
  const { url } = await createTestDatabase(t)
  const changes = 2000
  const measured = await measurePropagation(t, { databaseUrl: url, changes, perSecond: 50 })
  for (const line of toHistogram(measured)) t.comment(line)
  t.comment(`${measured.perSecond.toFixed(1)} changes a second`)
  t.equal(measured.missed, 0, 'none is missed')
  t.equal(measured.delaysMs.length, 3 * changes)
  t.equal(measured.stepsBack, 0, 'none is seen out of order')
  figure(t, 'R-22', 'visible after, p99', { atMost: 50, unit: 'ms' }, at(measured, 0.99))
  figure(t, 'R-22', 'visible after', { atMost: 500, unit: 'ms' }, at(measured, 1))
})

t.test('100 changes without a notification are found within two seconds', async (t) => {
  const { url } = await createTestDatabase(t)
  const postgres = await startSilentPostgres(t, url)
  const changes = 100
  // Less often than the service looks for itself, and more often.
  const measured = await measurePropagation(t, { databaseUrl: postgres.url, changes, perSecond: 3 })
  for (const line of toHistogram(measured)) t.comment(line)
  t.comment(`${measured.perSecond.toFixed(1)} changes a second`)
  t.ok(postgres.swallowed >= changes, `${postgres.swallowed} notifications were lost`)
  t.equal(measured.missed, 0, 'none is missed')
  t.equal(measured.stepsBack, 0, 'none is seen out of order')
  figure(t, 'R-22', 'visible without NOTIFY after', { atMost: 2000, unit: 'ms' }, at(measured, 1))
})
