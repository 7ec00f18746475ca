import t from 'tap'
import { formatIn } from './format.ts'

const now = Date.parse('2026-11-25T12:00:00Z')

t.test('shares and numbers are as the language has them', async (t) => {
  t.equal(formatIn('en').share(31), '31%')
  t.equal(formatIn('en').share(0.4), '0.4%')
  t.equal(formatIn('de').share(33.333), '33,33\u00a0%')
  t.equal(formatIn('de').number(41_208), '41.208')
})

t.test('an instant is relative for a week, and then a date', async (t) => {
  const { relative } = formatIn('en')
  t.equal(relative('2026-11-25T11:48:00Z', now), '12 min ago')
  t.equal(relative('2026-11-24T11:00:00Z', now), 'yesterday')
  t.equal(relative('2026-11-01T12:00:00Z', now), '1 Nov')
  t.match(relative('2025-11-01T12:00:00Z', now), /2025/)
})

t.test('names are listed', async (t) => {
  t.equal(formatIn('en').list(['a', 'b', 'c']), 'a, b and c')
  t.equal(formatIn('de').choice(['a', 'b']), 'a oder b')
})

t.test('times are by the clock of the reader or in UTC', async (t) => {
  const at = '2026-11-01T23:30:00Z'
  const utc = formatIn('en', 'utc')
  t.equal(utc.timeOfDay(Date.parse(at)), '23:30 UTC')
  t.equal(utc.moment(at), '1 Nov 2026, 23:30 UTC')
  t.equal(utc.relative(at, now), '1 Nov')
  t.match(utc.dateTime(at), /^1 Nov 2026, 23:30:00 UTC · /, 'the chosen one comes first')
  const local = formatIn('en', 'local')
  t.match(local.dateTime(at), / · 1 Nov 2026, 23:30:00 UTC$/)
  t.notMatch(local.moment(at), /UTC/)
  t.equal(formatIn('en'), local, 'by the clock of the reader unless it is said')
})
