import t from 'tap'
import { expiryOf, toLocalInput } from './expiry.ts'

const now = Date.parse('2026-11-25T12:00:00Z')

t.test('presets count from now', async (t) => {
  t.equal(expiryOf({ preset: '7d', date: '' }, now), '2026-12-02T12:00:00.000Z')
  t.equal(expiryOf({ preset: '30d', date: '' }, now), '2026-12-25T12:00:00.000Z')
  t.equal(expiryOf({ preset: '90d', date: '' }, now), '2027-02-23T12:00:00.000Z')
  t.equal(expiryOf({ preset: '1y', date: '' }, now), '2027-11-25T12:00:00.000Z')
  t.equal(expiryOf({ preset: 'never', date: '' }, now), undefined)
})

t.test('a year after the 29th of February is the 1st of March', async (t) => {
  const leap = Date.parse('2028-02-29T12:00:00Z')
  t.equal(expiryOf({ preset: '1y', date: '' }, leap), '2029-03-01T12:00:00.000Z')
})

t.test('a date of its own is by the clock of the reader, and has to come', async (t) => {
  const at = new Date(2026, 11, 24, 18, 30)
  t.equal(toLocalInput(at.getTime()), '2026-12-24T18:30')
  t.equal(expiryOf({ preset: 'date', date: '2026-12-24T18:30' }, now), at.toISOString())
  t.equal(expiryOf({ preset: 'date', date: '' }, now), 'invalid')
  t.equal(expiryOf({ preset: 'date', date: 'tomorrow' }, now), 'invalid')
  t.equal(expiryOf({ preset: 'date', date: '2020-01-01T00:00' }, now), 'past')
})
