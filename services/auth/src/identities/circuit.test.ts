import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { Circuit } from './circuit.ts'

const fail = () => Promise.reject(new Error('down'))

t.test('after five failures in a row, one try a second is made', async (t) => {
  const changes: boolean[] = []
  const circuit = new Circuit((isOpen) => changes.push(isOpen))
  let tries = 0
  const tryToFail = () => {
    tries += 1
    return fail()
  }
  for (let i = 0; i < 4; i += 1) t.equal(await circuit.run(tryToFail), undefined)
  t.equal(await circuit.run(async () => 'up'), 'up')
  t.strictSame(changes, [], 'a success in between starts the count anew')
  tries = 0
  const startedAt = performance.now()
  while (performance.now() - startedAt < 2500) {
    await Promise.all([circuit.run(tryToFail), circuit.run(tryToFail)])
    await sleep(10)
  }
  t.ok(tries >= 7 && tries <= 8, `${tries} tries`)
  t.strictSame(changes, [true])
})

t.test('the first success closes it', async (t) => {
  const changes: boolean[] = []
  const circuit = new Circuit((isOpen) => changes.push(isOpen))
  for (let i = 0; i < 5; i += 1) await circuit.run(fail)
  t.equal(await circuit.run(async () => 'up'), undefined)
  await sleep(1010)
  t.equal(await circuit.run(async () => 'up'), 'up')
  t.equal(await circuit.run(async () => 'up'), 'up')
  t.strictSame(changes, [true, false])
})
