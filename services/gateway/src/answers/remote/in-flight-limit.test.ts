import t from 'tap'
import { InFlightLimit, type InFlightOptions } from './in-flight-limit.ts'

function open(options: InFlightOptions = {}) {
  const clock = { now: 0 }
  const limit = new InFlightLimit('the service', { now: () => clock.now, ...options })
  const running: (() => void)[] = []
  /** Starts calls. @returns how many were refused */
  const start = async (count: number) => {
    let refused = 0
    for (let i = 0; i < count; i += 1) {
      const call = () => new Promise<void>((resolve) => running.push(resolve))
      limit.run(call).catch(() => {
        refused += 1
      })
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
  t.equal(await start(2), 1, 'one for each that has finished')
})

t.test('another number of calls is always admitted where it is said', async (t) => {
  const { start } = open({ atLeast: 400 })
  t.equal(await start(401), 1)
})

t.test('as many are admitted as have finished within a second', async (t) => {
  const { clock, start, finish } = open()
  for (let tenth = 0; tenth < 10; tenth += 1) {
    t.equal(await start(100), 0)
    await finish()
    clock.now += 99
  }
  clock.now = 1000
  t.equal(await start(1200), 200, 'a thousand')
  await finish()
  clock.now = 5000
  t.equal(await start(300), 172, 'none has finished lately')
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
  t.equal(await start(300), 0)
})
