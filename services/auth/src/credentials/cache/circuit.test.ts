import t from 'tap'
import { Circuit } from './circuit.ts'

const retryAfterMs = 1000
const fail = () => Promise.reject(new Error('down'))
const succeed = async () => 'up'

function open() {
  const time = { ms: 0 }
  const changes: boolean[] = []
  const onChange = (isOpen: boolean) => changes.push(isOpen)
  const circuit = new Circuit({ retryAfterMs, onChange, nowMs: () => time.ms })
  return { circuit, changes, time }
}

t.test('after five failures in a row, one attempt a second is made', async (t) => {
  const { circuit, changes, time } = open()
  for (let i = 0; i < 4; i += 1) t.equal(await circuit.run(fail), undefined)
  t.equal(await circuit.run(succeed), 'up')
  t.strictSame(changes, [], 'a success in between starts the count anew')
  let attempts = 0
  const tryToFail = () => {
    attempts += 1
    return fail()
  }
  for (; time.ms < 2500; time.ms += 10) {
    await Promise.all([circuit.run(tryToFail), circuit.run(tryToFail)])
  }
  t.equal(attempts, 8, 'six before it opens, for two run at once')
  t.strictSame(changes, [true])
})

t.test('the first success closes it', async (t) => {
  const { circuit, changes, time } = open()
  for (let i = 0; i < 5; i += 1) await circuit.run(fail)
  time.ms = retryAfterMs - 1
  t.equal(await circuit.run(succeed), undefined)
  time.ms = retryAfterMs
  const attempt = circuit.run(succeed)
  t.equal(await circuit.run(succeed), undefined, 'the attempt has not ended')
  t.equal(await attempt, 'up')
  t.equal(await circuit.run(succeed), 'up')
  t.strictSame(changes, [true, false])
})

t.test('what is no failure of the dependency neither opens nor closes it', async (t) => {
  const unfair = new Error('the caller had no time')
  const circuit = new Circuit({ isFailure: (error) => error !== unfair })
  const giveUp = () => circuit.run(() => Promise.reject(unfair))
  for (let i = 0; i < 10; i += 1) t.equal(await giveUp(), undefined)
  for (let i = 0; i < 4; i += 1) await circuit.run(fail)
  await giveUp()
  t.equal(await circuit.run(succeed), 'up')
  for (let i = 0; i < 4; i += 1) await circuit.run(fail)
  await giveUp()
  await circuit.run(fail)
  t.equal(await circuit.run(succeed), undefined)
})

t.test('while it is open, an attempt that counts neither way is made again at once', async (t) => {
  const unfair = new Error('the caller had no time')
  const time = { ms: 0 }
  const circuit = new Circuit({
    retryAfterMs,
    isFailure: (error) => error !== unfair,
    nowMs: () => time.ms,
  })
  const before = Promise.withResolvers<never>()
  const straggler = circuit.run(() => before.promise)
  for (let i = 0; i < 5; i += 1) await circuit.run(fail)
  before.reject(unfair)
  await straggler
  t.equal(await circuit.run(succeed), undefined, 'but not one that began before')
  time.ms = retryAfterMs
  t.equal(await circuit.run(() => Promise.reject(unfair)), undefined)
  t.equal(await circuit.run(succeed), 'up')
})
