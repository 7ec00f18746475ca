import type { Refusal } from '@svc/proto/auth/v1/identities'
import t from 'tap'
import { RefusalCounts } from './refusal-counts.ts'

function open() {
  const reports: Refusal[][] = []
  const auth = { isUnavailable: false }
  const counts = new RefusalCounts(async (refusals) => {
    if (auth.isUnavailable) throw new Error('unavailable')
    reports.push(refusals)
  })
  const refuse = (address: string, more = {}) =>
    counts.note({
      ...{ principal: '', route: '/flags', reason: 'no_credential', status: 401 },
      ...more,
      address,
    })
  return { counts, refuse, reports, auth }
}

t.test('refusals are counted by caller, route and reason', async (t) => {
  const { counts, refuse, reports } = open()
  for (let i = 0; i < 3; i++) refuse('192.0.2.1')
  refuse('192.0.2.2')
  refuse('2001:db8::1')
  refuse('2001:db8::2')
  refuse('192.0.2.1', { route: '/segments' })
  refuse('192.0.2.1', { principal: 'p', reason: 'address_refused', status: 403 })
  refuse('192.0.2.9', { principal: 'p', reason: 'address_refused', status: 403 })
  await counts.report()
  const told = reports[0]?.map(({ principal, address, route, reason, status, count }) =>
    [principal, address, route, reason, status, count].join(' '),
  )
  t.strictSame(told, [
    ' 192.0.2.1 /flags no_credential 401 3',
    ' 192.0.2.2 /flags no_credential 401 1',
    ' 2001:db8:0:0::/64 /flags no_credential 401 2',
    ' 192.0.2.1 /segments no_credential 401 1',
    'p 192.0.2.9 /flags address_refused 403 2',
  ])
  await counts.report()
  t.equal(reports.length, 1, 'and reported once')
})

t.test('what cannot be reported is reported the next time', async (t) => {
  const { counts, refuse, reports, auth } = open()
  refuse('192.0.2.1')
  auth.isUnavailable = true
  await t.rejects(counts.report())
  refuse('192.0.2.1')
  auth.isUnavailable = false
  await counts.report()
  t.match(reports, [[{ address: '192.0.2.1', count: 2 }]])
})

t.test('a flood is a thousand at most, one of which stands for the rest', async (t) => {
  const { counts, refuse, reports, auth } = open()
  for (let i = 0; i < 5000; i++) refuse(`10.0.${i >> 8}.${i & 255}`)
  auth.isUnavailable = true
  await t.rejects(counts.report())
  auth.isUnavailable = false
  for (let i = 0; i < 5000; i++) refuse(`10.1.${i >> 8}.${i & 255}`)
  await counts.report()
  t.equal(reports[0]?.length, 1000)
  const sum = reports[0]?.reduce((all, { count }) => all + count, 0)
  t.equal(sum, 10_000, 'and none is lost')
  t.match(reports[0]?.at(-1), { isOther: true, count: 10_000 - 999 })
})
