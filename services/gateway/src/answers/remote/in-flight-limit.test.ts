import { unavailable } from '@svc/runtime'
import t from 'tap'
import { InFlightLimit, type InFlightOptions } from './in-flight-limit.ts'

function open(options: InFlightOptions = {}) {
  const clock = { now: 0 }
  const limit = new InFlightLimit('the service', { now: () => clock.now, ...options })
  const running: (() => void)[] = []
  /** Calls, unless that is refused. @returns how many were refused */
  const start = async (count: number) => {
    let refused = 0
    const refuse = () => {
      refused += 1
    }
    for (let i = 0; i < count; i += 1) {
      const call = () => new Promise<void>((resolve) => running.push(resolve))
      if (limit.refuses()) refuse()
      else limit.run(call).catch(refuse)
    }
    await new Promise(setImmediate)
    return refused
  }
  const finish = async (count = running.length) => {
    for (const resolve of running.splice(0, count)) resolve()
    await new Promise(setImmediate)
  }
  return { clock, limit, start, finish }
}

t.test('a burst of 128 calls is admitted, and one more is refused at once', async (t) => {
  const { limit, start, finish } = open()
  t.equal(await start(128), 0)
  await t.rejects(
    limit.run(async () => {}),
    { code: 'unavailable', reason: 'overloaded', message: /^too many requests for the service/ },
  )
  await finish(1)
  t.equal(await start(1), 1, 'further ones as well')
  await finish(96)
  t.equal(await start(2), 1, 'until 31 are left')
})

t.test('what waits to call counts, and calls whatever was refused meanwhile', async (t) => {
  const { limit, start } = open()
  for (let i = 0; i < 100; i += 1) {
    t.notOk(limit.refuses())
    limit.beginWait()
  }
  t.notOk(limit.isIdle)
  t.equal(await start(29), 1)
  t.ok(limit.refuses())
  const called: number[] = []
  for (let i = 0; i < 100; i += 1) {
    limit.endWait()
    limit.run(async () => called.push(i)).catch(() => {})
  }
  await new Promise(setImmediate)
  t.equal(called.length, 100)
})

t.test('another number of calls is a burst where it is said', async (t) => {
  const { start } = open({ burst: 400 })
  t.equal(await start(401), 1)
})

t.test('after a refusal as many are admitted as finish within 0.3 s', async (t) => {
  const { clock, start, finish } = open()
  for (let tenth = 0; tenth < 10; tenth += 1) {
    t.equal(await start(100), 0)
    await finish()
    clock.now += 99
  }
  clock.now = 1000
  t.equal(await start(400), 100, 'of a thousand in a second')
  await finish(300)
  clock.now = 1900
  t.equal(await start(200), 0, 'no more than that')
  t.equal(await start(200), 100)
  await finish()
  clock.now = 5000
  t.equal(await start(130), 2, 'a burst after a rest')
  clock.now = 6500
  await finish()
  t.equal(await start(130), 130 - Math.ceil(0.3 * 128), 'and not without one')
})

t.test('32 are always admitted', async (t) => {
  const { clock, start, finish } = open({ burst: 40 })
  t.equal(await start(50), 10)
  clock.now = 1900
  await finish(20)
  t.equal(await start(20), 8)
  await finish(9)
  t.equal(await start(10), 1)
})

t.test('a call that fails is finished, too', async (t) => {
  const { limit, start } = open()
  for (let i = 0; i < 300; i += 1) {
    await t.rejects(
      limit.run(async () => {
        throw new Error('gone')
      }),
      /gone/,
    )
  }
  t.equal(await start(129), 1)
})

t.test('what the service refuses ends a burst', async (t) => {
  const { limit, start, finish } = open()
  t.equal(await start(60), 0)
  const call = async () => {
    throw unavailable('too many')
  }
  await t.rejects(limit.run(call), /too many/)
  t.equal(await start(1), 1)
  await finish(29)
  t.equal(await start(2), 1)
})
