import t, { type Test } from 'tap'
import { SvcError } from './api/error.ts'
import { Start } from './start.ts'

const refused = new SvcError('HTTP 403', { status: 403, code: 7 })
const lost = new SvcError('not reached', { status: 0, code: 14 })
const none = async () => false
const never = () => new Promise<boolean>(() => {})

/** Those that are set from now on, and neither over nor cleared. */
function countTimers(t: Test) {
  const { setTimeout, clearTimeout } = globalThis
  const timers = new Set<unknown>()
  t.intercept(globalThis, 'setTimeout', {
    value: (run: (...rest: unknown[]) => void, ms: number, ...rest: unknown[]) => {
      const timer = setTimeout(() => {
        timers.delete(timer)
        run(...rest)
      }, ms)
      timers.add(timer)
      return timer
    },
  })
  t.intercept(globalThis, 'clearTimeout', {
    value: (timer: NodeJS.Timeout) => {
      timers.delete(timer)
      clearTimeout(timer)
    },
  })
  return { timers, setTimeout }
}

t.test('flags of the server, or kept ones, are the start', async () => {
  const served = new Start({ timeoutMs: 1000, required: true, useKept: never })
  served.succeed()
  await served.done()
  const kept = new Start({ timeoutMs: 1000, required: true, useKept: async () => true })
  void kept.fail(lost, false)
  await kept.done()
  const silent = new Start({ timeoutMs: 10, required: true, useKept: async () => true })
  await silent.done()
})

t.test('without either it is refused, at once where waiting is of no use', async (t) => {
  const options = { timeoutMs: 100_000, required: true, useKept: none }
  const start = new Start(options)
  void start.fail(lost, false)
  void start.fail(refused, true)
  await t.rejects(start.done(), refused)
  const patient = new Start({ ...options, required: false })
  void patient.fail(refused, true)
  await patient.done()
  const late = new Start({ ...options, timeoutMs: 10 })
  void late.fail(lost, false)
  await t.rejects(late.done(), { code: 14, message: /^no flags within 10 ms: not reached\. With/ })
})

t.test('nothing is left to wait for once it is over', async (t) => {
  const { timers, setTimeout } = countTimers(t)
  for (const useKept of [none, never]) {
    const start = new Start({ timeoutMs: 20, required: true, useKept })
    await t.rejects(start.done(), { code: 14 })
    t.equal(timers.size, 0)
  }
  const late = new Start({ timeoutMs: 20, required: true, useKept: never })
  await new Promise((resolve) => setTimeout(resolve, 30))
  t.equal(timers.size, 1, 'of the wait for the disk')
  late.succeed()
  await late.done()
  t.equal(timers.size, 0)
})

t.test('a file that cannot be read, or not in time, is none', async (t) => {
  const broken = async () => {
    throw new Error('broken')
  }
  for (const useKept of [never, broken]) {
    const start = new Start({ timeoutMs: 20, required: true, useKept })
    void start.fail(lost, false)
    await t.rejects(start.done(), { code: 14 })
  }
})
