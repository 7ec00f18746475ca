import t from 'tap'
import { Turns } from './turns.ts'

/** Takes the processor for so long. */
function work(forMs: number): void {
  const until = performance.now() + forMs
  while (performance.now() < until);
}

t.test('between those that go on the event loop does what else there is', async (t) => {
  const turns = new Turns()
  const order: number[] = []
  const went = Array.from({ length: 20 }, async (_, index) => {
    await turns.next()
    order.push(index)
    work(6)
  })
  let between = 0
  const look = setInterval(() => {
    between += 1
  })
  await Promise.all(went)
  clearInterval(look)
  t.strictSame(order, [...order.keys()], 'in their order')
  t.ok(between >= 5, `${between} times`)
})

t.test('many that take no time go on in one turn', async (t) => {
  const turns = new Turns()
  let rounds = 0
  let isOver = false
  const look = () => {
    rounds += 1
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await Promise.all(Array.from({ length: 100 }, () => turns.next()))
  isOver = true
  t.ok(rounds < 20, `${rounds}`)
})

t.test('one that comes while another goes on has its turn, too', async (t) => {
  const turns = new Turns()
  await turns.next()
  await turns.next()
  const later = turns.next().then(() => turns.next())
  await turns.next()
  await later
  t.pass()
})
