import t from 'tap'
import { ResumeQueue } from './resume-queue.ts'

/** Takes the processor for so long. */
function work(forMs: number): void {
  const until = performance.now() + forMs
  while (performance.now() < until);
}

/** What has waited is often several promises away from its work. */
async function pass(promises: number): Promise<void> {
  for (let left = promises; left > 0; left -= 1) await undefined
}

t.test('between those that go on the event loop does what else there is', async (t) => {
  const queue = new ResumeQueue()
  const order: number[] = []
  let inTurn = 0
  let mostInTurn = 0
  let isOver = false
  const look = () => {
    mostInTurn = Math.max(mostInTurn, inTurn)
    inTurn = 0
    if (!isOver) setImmediate(look)
  }
  const went = Array.from({ length: 20 }, async (_, index) => {
    await queue.next()
    await pass(8)
    order.push(index)
    inTurn += 1
    work(6)
  })
  setImmediate(look)
  await Promise.all(went)
  isOver = true
  look()
  t.strictSame(order, [...order.keys()], 'in their order')
  t.equal(mostInTurn, 2)
})

t.test('many that take no time go on in one turn', async (t) => {
  const queue = new ResumeQueue()
  let rounds = 0
  let isOver = false
  const look = () => {
    rounds += 1
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await Promise.all(Array.from({ length: 100 }, () => queue.next()))
  isOver = true
  t.ok(rounds < 20, `${rounds}`)
})

t.test('one that comes while another goes on has its turn, too', async (t) => {
  const queue = new ResumeQueue()
  await queue.next()
  await queue.next()
  const later = queue.next().then(() => queue.next())
  await queue.next()
  await later
  t.pass()
})
