import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { Circuit, type CircuitOptions } from './circuit.ts'

const retryAfterMs = 1000
const fail = () => Promise.reject(new Error('down'))

function open(t: Test, options: CircuitOptions = {}) {
  mock.timers.enable({ apis: ['setTimeout'] })
  const changes: boolean[] = []
  const circuit = new Circuit({ ...options, onChange: (isOpen) => changes.push(isOpen) })
  t.teardown(() => {
    circuit.close()
    mock.timers.reset()
  })
  return { circuit, changes }
}

/** @returns how many were made in two and a half seconds, each of which failed */
async function countTries(circuit: Circuit): Promise<number> {
  let tries = 0
  const tryToFail = () => {
    tries += 1
    return fail()
  }
  for (let ms = 0; ms < 2500; ms += 10) {
    await Promise.all([circuit.run(tryToFail), circuit.run(tryToFail)])
    mock.timers.tick(10)
  }
  return tries
}

t.test('after five failures in a row, one try a second is made', async (t) => {
  const { circuit, changes } = open(t)
  for (let i = 0; i < 4; i += 1) t.equal(await circuit.run(fail), undefined)
  t.equal(await circuit.run(async () => 'up'), 'up')
  t.strictSame(changes, [], 'a success in between starts the count anew')
  t.equal(await countTries(circuit), 8, 'six before it opens, for two run at once')
  t.strictSame(changes, [true])
})

t.test('the first success closes it', async (t) => {
  const { circuit, changes } = open(t)
  for (let i = 0; i < 5; i += 1) await circuit.run(fail)
  mock.timers.tick(retryAfterMs - 1)
  t.equal(await circuit.run(async () => 'up'), undefined)
  mock.timers.tick(1)
  t.equal(await circuit.run(async () => 'up'), 'up')
  t.equal(await circuit.run(async () => 'up'), 'up')
  t.strictSame(changes, [true, false])
})

t.test('with a probe', async (t) => {
  const openWithProbe = (t: Test) => {
    const seen = { probes: 0, isUp: false }
    const probe = async () => {
      seen.probes += 1
      if (!seen.isUp) await fail()
    }
    return { ...open(t, { probe }), seen }
  }

  await t.test('no request is the one that tries', async (t) => {
    const { circuit, changes, seen } = openWithProbe(t)
    t.equal(await countTries(circuit), 6)
    t.equal(seen.probes, 2)
    t.strictSame(changes, [true])
  })

  await t.test('its first success closes the circuit', async (t) => {
    const { circuit, changes, seen } = openWithProbe(t)
    for (let i = 0; i < 5; i += 1) await circuit.run(fail)
    seen.isUp = true
    t.equal(await circuit.run(async () => 'up'), undefined)
    mock.timers.tick(retryAfterMs)
    t.equal(await circuit.run(async () => 'up'), undefined, 'the probe has not ended')
    t.equal(await circuit.run(async () => 'up'), 'up')
    t.strictSame(changes, [true, false])
    mock.timers.tick(2 * retryAfterMs)
    t.equal(seen.probes, 1, 'then there is nothing to try')
  })

  await t.test('nothing is tried any more when it has ended', async (t) => {
    const { circuit, seen } = openWithProbe(t)
    for (let i = 0; i < 5; i += 1) await circuit.run(fail)
    circuit.close()
    mock.timers.tick(2 * retryAfterMs)
    t.equal(seen.probes, 0)
  })
})
