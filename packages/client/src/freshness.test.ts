import { fakeTime } from '@svc/runtime/testing'
import t from 'tap'
import { Freshness } from './freshness.ts'

t.test('flags are stale after some silence, which is told once', async (t) => {
  const wait = fakeTime(t)
  const freshness = new Freshness(40_000)
  t.equal(freshness.ageMs, Number.POSITIVE_INFINITY)
  t.equal(freshness.check(), false, 'not before there are any')
  t.equal(freshness.confirm(), false)
  await wait(39_999)
  t.equal(freshness.check(), false)
  await wait(1)
  t.equal(freshness.check(), true)
  t.equal(freshness.check(), false)
  t.equal(freshness.isStale, true)
  t.equal(freshness.ageMs, 40_000)
  t.equal(freshness.confirm(), true)
  t.equal(freshness.isStale, false)
  t.equal(freshness.ageMs, 0)
})

t.test('and become so where nothing checks, as after the end', async (t) => {
  const wait = fakeTime(t)
  const freshness = new Freshness(40_000)
  t.equal(freshness.isStale, false, 'before there are any they are no old ones')
  freshness.confirm()
  await wait(39_999)
  t.equal(freshness.isStale, false)
  await wait(1)
  t.equal(freshness.isStale, true)
  t.equal(freshness.check(), true, 'which is still to be told')
})

t.test('flags of a file are stale from the beginning, and of its age', async (t) => {
  fakeTime(t)
  const freshness = new Freshness(40_000)
  freshness.begin(3_600_000)
  t.equal(freshness.isStale, true)
  t.equal(freshness.ageMs, 3_600_000)
  t.equal(freshness.check(), false)
})
