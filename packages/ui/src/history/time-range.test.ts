import t from 'tap'
import { readTimeRange } from './range-search.ts'
import { dayOf, instantsOf, rangeOf, startOf } from './time-range.ts'

t.test('a range is days of the URL; others are as if they were not there', async (t) => {
  t.strictSame(readTimeRange({ since: '2026-11-01', until: '2026-11-20' }), {
    since: '2026-11-01',
    until: '2026-11-20',
  })
  t.strictSame(readTimeRange({ since: '2026-02-30', until: ['2026-11-20'] }), {})
  t.strictSame(readTimeRange({ since: 'now', until: '2026-13-01' }), {})
  t.strictSame(readTimeRange({ since: '2026-11-20', until: '2026-11-01' }), {
    since: '2026-11-01',
    until: '2026-11-20',
  })
})

t.test('the last day is included', async (t) => {
  const { since = '', until = '' } = instantsOf({ since: '2026-11-01', until: '2026-11-01' })
  t.equal(since, startOf('2026-11-01').toISOString())
  t.equal(dayOf(new Date(since)), '2026-11-01')
  t.equal(dayOf(new Date(until)), '2026-11-02')
  t.strictSame(instantsOf({}), {})
})

t.test('usual ranges are days that stay the same', async (t) => {
  const now = new Date(2026, 10, 3, 9)
  t.strictSame(rangeOf('today', now), { since: '2026-11-03' })
  t.strictSame(rangeOf('yesterday', now), { since: '2026-11-02', until: '2026-11-02' })
  t.strictSame(rangeOf('last7', now), { since: '2026-10-28' })
  t.strictSame(rangeOf('last30', now), { since: '2026-10-05' })
})
