import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Circuit } from './circuit.ts'

const fail = () => Promise.reject(new Error('down'))

/** @returns how many were made in two and a half seconds, each of which failed */
async function countTries(circuit: Circuit): Promise<number> {
  let tries = 0
  const tryToFail = () => {
    tries += 1
    return fail()
  }
  const startedAt = performance.now()
  while (performance.now() - startedAt < 2500) {
    await Promise.all([circuit.run(tryToFail), circuit.run(tryToFail)])
    await sleep(10)
  }
  return tries
}

t.test('after five failures in a row, one try a second is made', async (t) => {
  const changes: boolean[] = []
  const circuit = new Circuit({ onChange: (isOpen) => changes.push(isOpen) })
  for (let i = 0; i < 4; i += 1) t.equal(await circuit.run(fail), undefined)
  t.equal(await circuit.run(async () => 'up'), 'up')
  t.strictSame(changes, [], 'a success in between starts the count anew')
  const tries = await countTries(circuit)
  t.ok(tries >= 7 && tries <= 8, `${tries} tries`)
  t.strictSame(changes, [true])
})

t.test('the first success closes it', async (t) => {
  const changes: boolean[] = []
  const circuit = new Circuit({ onChange: (isOpen) => changes.push(isOpen) })
  for (let i = 0; i < 5; i += 1) await circuit.run(fail)
  t.equal(await circuit.run(async () => 'up'), undefined)
  await sleep(1010)
  t.equal(await circuit.run(async () => 'up'), 'up')
  t.equal(await circuit.run(async () => 'up'), 'up')
  t.strictSame(changes, [true, false])
})

t.test('with a probe', async (t) => {
  const open = (t: Test) => {
    const seen = { changes: [] as boolean[], probes: 0, isUp: false }
    const circuit = new Circuit({
      onChange: (isOpen) => seen.changes.push(isOpen),
      async probe() {
        seen.probes += 1
        if (!seen.isUp) await fail()
      },
    })
    t.teardown(() => circuit.close())
    return { circuit, seen }
  }

  await t.test('no request is the one that tries', async (t) => {
    const { circuit, seen } = open(t)
    const tries = await countTries(circuit)
    t.ok(tries >= 5 && tries <= 6, `${tries} tries`)
    t.ok(seen.probes >= 1 && seen.probes <= 3, `${seen.probes} probes`)
    t.strictSame(seen.changes, [true])
  })

  await t.test('its first success closes the circuit', async (t) => {
    const { circuit, seen } = open(t)
    for (let i = 0; i < 5; i += 1) await circuit.run(fail)
    seen.isUp = true
    t.equal(await circuit.run(async () => 'up'), undefined)
    await sleep(1100)
    t.equal(await circuit.run(async () => 'up'), 'up')
    t.strictSame(seen.changes, [true, false])
    await sleep(1100)
    t.equal(seen.probes, 1, 'then there is nothing to try')
  })

  await t.test('nothing is tried any more when it has ended', async (t) => {
    const { circuit, seen } = open(t)
    for (let i = 0; i < 5; i += 1) await circuit.run(fail)
    circuit.close()
    await sleep(1100)
    t.equal(seen.probes, 0)
  })
})
