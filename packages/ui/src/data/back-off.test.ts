import t from 'tap'
import { BackOff } from './back-off.ts'

/** In the middle of what is left to chance. */
const middle = 0.5

t.test('each break soon after the last one is waited for longer', async (t) => {
  const backOff = new BackOff()
  let now = 1_000_000
  const waits: number[] = []
  for (let count = 0; count < 6; count++) {
    backOff.noteBreak(now)
    const waitMs = backOff.waitMs(now, middle)
    waits.push(waitMs)
    now += waitMs
    backOff.noteReturn(now)
    now += 50
  }
  t.strictSame(waits, [1000, 2000, 4000, 8000, 15_000, 15_000])
})

t.test('half a minute without a break begins anew', async (t) => {
  const backOff = new BackOff()
  const again = (at: number) => {
    backOff.noteBreak(at)
    backOff.noteReturn(at + 5000)
    return backOff.waitMs(at, middle)
  }
  t.equal(again(0), 1000)
  t.equal(again(10_000), 2000)
  t.equal(backOff.isRaised(20_000), true)
  t.equal(backOff.isRaised(45_000), false)
  t.equal(again(45_000), 1000)
})

t.test('a look in vain is followed by a longer wait', async (t) => {
  const backOff = new BackOff()
  backOff.noteBreak(0)
  t.equal(backOff.isRaised(500), false)
  backOff.raise()
  t.equal(backOff.isRaised(500), true)
  t.equal(backOff.isRaised(600_000), true, 'as long as it lasts')
  t.equal(backOff.waitMs(1000, middle), 2000)
})

t.test('answers of one burst are one break', async (t) => {
  const backOff = new BackOff()
  for (const at of [0, 20, 40, 900]) {
    backOff.noteBreak(at)
    backOff.noteReturn(at + 10)
  }
  t.equal(backOff.waitMs(910, middle), 1000)
  backOff.noteBreak(1000)
  t.equal(backOff.waitMs(1000, middle), 2000)
})

t.test('what was refused is not asked before the time that the answer named', async (t) => {
  const backOff = new BackOff()
  t.equal(backOff.holdMs(0), 0)
  backOff.noteBreak(0)
  backOff.noteRefused(0, null)
  t.equal(backOff.holdMs(0), 1000, 'without one the wait of the round')
  backOff.noteRefused(0, '8')
  t.equal(backOff.holdMs(2000), 6000)
  t.equal(backOff.waitMs(2000, middle) >= 6000, true)
  backOff.noteRefused(2000, '1')
  t.equal(backOff.holdMs(2000), 6000, 'a shorter one does not shorten it')
  backOff.noteRefused(10_000, '86400')
  t.equal(backOff.holdMs(10_000), 60_000)
  backOff.noteRefused(80_000, 'Wed, 21 Oct 2026 07:28:00 GMT')
  t.equal(backOff.holdMs(80_000), 1000, 'a date is not read')
})
