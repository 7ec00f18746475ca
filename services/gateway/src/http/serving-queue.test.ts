import t from 'tap'
import { maxWaitingOfAll, ServingQueue } from './serving-queue.ts'

/** What a refusal takes; a sum of any of it is exact. */
const refusalMs = 1 / 64

/** What it takes to accept a connection. */
const acceptMs = 0.25

interface TurnOptions {
  readonly mayRefuse?: boolean
  /** Whether each is refused, whatever waits. */
  readonly isFull?: boolean
  readonly ms?: number
  readonly cpuMs?: number
  /** Whether a connection is accepted in it. */
  readonly accepts?: boolean
}

/** An event loop whose requests take what they are said to, and on which nothing else runs. */
function openLoop() {
  let now = 0
  let cpu = 0
  let afterTurn: (() => void)[] = []
  const afterCallback: (() => void)[] = []
  const took = new Map<string, { readonly ms: number; readonly cpuMs: number }>()
  const served: string[] = []
  const refused: string[] = []
  /** How many were refused in each turn before it ended. */
  const refusedAtOnce: number[] = []
  const waitedMs: number[] = []
  const work = (ms: number, cpuMs = ms) => {
    now += ms
    cpu += cpuMs
  }
  const queue = new ServingQueue<string>({
    serve(one, arrivedAt = now) {
      served.push(one)
      waitedMs.push(now - arrivedAt)
      const cost = took.get(one)
      work(cost?.ms ?? 1, cost?.cpuMs)
    },
    refuse(one) {
      refused.push(one)
      work(refusalMs)
    },
    loop: {
      now: () => now,
      cpu: () => cpu,
      afterCallback: (callback) => void afterCallback.push(callback),
      afterTurn: (callback) => void afterTurn.push(callback),
    },
  })
  const runAll = () => {
    for (let next = afterCallback.shift(); next; next = afterCallback.shift()) next()
  }
  return {
    served,
    refused,
    refusedAtOnce,
    waitedMs,
    /** Requests that arrive in one turn, which then ends. @returns how many were served and refused in it */
    turn(count: number, options: TurnOptions = {}) {
      const { mayRefuse = true, isFull = false, ms = 1, cpuMs = ms, accepts = false } = options
      const before = { served: served.length, refused: refused.length }
      for (let i = 0; i < count; i += 1) {
        const one = `${before.served}-${i}`
        took.set(one, { ms, cpuMs })
        if (isFull) queue.refuse(one)
        else queue.add(one, mayRefuse)
        runAll()
      }
      if (accepts) {
        queue.noteConnection()
        work(acceptMs)
      }
      refusedAtOnce.push(refused.length - before.refused)
      const ending = afterTurn
      afterTurn = []
      for (const end of ending) {
        end()
        runAll()
      }
      return { served: served.length - before.served, refused: refused.length - before.refused }
    },
    hasTurn: () => afterTurn.length > 0,
  }
}

t.test('what arrives is served at once while there is time in the turn', async (t) => {
  const { turn, waitedMs, hasTurn } = openLoop()
  t.strictSame(turn(10), { served: 10, refused: 0 })
  t.ok(waitedMs.every((ms) => ms === 0))
  turn(0)
  t.notOk(hasTurn(), 'and then the loop may rest')
})

t.test('a burst is served whole, in its order, a slice in each turn', async (t) => {
  const { turn, served, hasTurn } = openLoop()
  t.strictSame(turn(200), { served: 20, refused: 0 }, 'as they arrive, and as the turn ends')
  let turns = 0
  for (; hasTurn(); turns += 1) turn(0)
  t.equal(turns, 18 + 1, 'and one in which none is left')
  t.strictSame(
    served,
    Array.from({ length: 200 }, (_, i) => `0-${i}`),
  )
})

t.test('further ones are refused when those that wait take 300 ms', async (t) => {
  const { turn, refusedAtOnce } = openLoop()
  t.strictSame(turn(10 + 300 + 5), { served: 20, refused: 5 })
  t.strictSame(refusedAtOnce, [5], 'as they arrive')
})

/** Uses up the time for a burst of refusals. */
function endBurst({ turn, hasTurn }: ReturnType<typeof openLoop>): void {
  turn(500 / refusalMs, { isFull: true })
  while (hasTurn()) turn(0)
}

t.test('a burst is refused as it arrives, whatever else is done in the turn', async (t) => {
  const { turn, refusedAtOnce } = openLoop()
  turn(10 + 300 + 100 / refusalMs)
  t.strictSame(refusedAtOnce, [100 / refusalMs])
})

t.test('refusals take 300 ms in a burst, and what comes back meanwhile', async (t) => {
  const { turn, refusedAtOnce } = openLoop()
  turn(1000 / refusalMs, { isFull: true })
  t.equal(Math.round((refusedAtOnce[0] ?? 0) * refusalMs), 300 / 0.75)
})

t.test(
  'after a burst refusals take 10 ms, and the rest waits for as much in later turns',
  async (t) => {
    const loop = openLoop()
    endBurst(loop)
    const { turn, refusedAtOnce, hasTurn } = loop
    const atOnce = 10 / refusalMs
    refusedAtOnce.length = 0
    const first = turn(10 + 300 + 3 * atOnce)
    t.equal(first.refused, 2 * atOnce, 'as they arrive, and as the turn ends')
    t.strictSame(refusedAtOnce, [atOnce])
    t.equal(turn(0).refused, atOnce)
    while (hasTurn()) turn(0)
    t.equal(turn(3 * atOnce, { isFull: true }).refused, 2 * atOnce, 'for whatever reason')
  },
)

t.test('there is another burst when refusals have rested', async (t) => {
  const loop = openLoop()
  endBurst(loop)
  const { turn, refusedAtOnce } = loop
  turn(1, { ms: 2000 })
  turn(0)
  turn(200 / refusalMs, { isFull: true })
  t.equal(refusedAtOnce.at(-1), 200 / refusalMs)
})

t.test('turns without any that is served say nothing of what one takes', async (t) => {
  const { turn, hasTurn } = openLoop()
  turn(40, { ms: 1 })
  turn(20 / refusalMs, { isFull: true })
  turn(100)
  t.equal(turn(100).refused, 0)
  while (hasTurn()) turn(0)
})

t.test('nothing is served for 10 ms while there are new connections', async (t) => {
  const { turn } = openLoop()
  turn(100)
  const accepting = () => turn(0, { accepts: true }).served
  const turns = Array.from({ length: 1 + 10 / acceptMs }, accepting)
  t.strictSame(turns.slice(0, -1), Array(10 / acceptMs).fill(0), 'one is accepted in each turn')
  t.equal(turns.at(-1), 10, 'then a slice is served')
  t.equal(accepting(), 0)
  t.equal(turn(0).served, 10, 'and as soon as there are none')
})

t.test('a few that wait are no overload, whatever they take', async (t) => {
  const { turn } = openLoop()
  for (let i = 0; i < 20; i += 1) t.equal(turn(i === 0 ? 33 : 1, { ms: 500 }).refused, 0)
})

t.test('the first requests of a process take ten times as long, and are no overload', async (t) => {
  const { turn, hasTurn } = openLoop()
  for (let i = 0; i < 2; i += 1) t.equal(turn(33, { ms: 10 }).refused, 0)
  while (hasTurn()) turn(0)
})

t.test('that all of them take so long is one, after a few turns', async (t) => {
  const { turn, waitedMs } = openLoop()
  for (let i = 0; i < 100; i += 1) turn(10, { ms: 10 })
  t.equal(turn(10, { ms: 10 }).refused, 10 - 1)
  t.ok(Math.max(...waitedMs) < 1000, `waits for ${Math.max(...waitedMs)} ms at most`)
})

t.test('what is known of a burst is forgotten after it', async (t) => {
  const { turn, hasTurn } = openLoop()
  turn(40, { ms: 50 })
  while (hasTurn()) turn(0)
  t.equal(turn(400, { ms: 0.1 }).refused, 0)
})

t.test('a thread that waits for the processor is not overloaded', async (t) => {
  const { turn } = openLoop()
  for (let i = 0; i < 5; i += 1) t.equal(turn(100, { ms: 20, cpuMs: 0.1 }).refused, 0)
})

t.test('at most 1,000 wait of those that can be refused', async (t) => {
  const { turn } = openLoop()
  const first = turn(1100, { ms: 0.1 })
  t.equal(first.refused, 1100 - 100 - 1000)
  t.strictSame(
    turn(2000, { mayRefuse: false, ms: 0.1 }).refused,
    0,
    'others are served nevertheless',
  )
})

t.test('at most 10,000 wait of all', async (t) => {
  const { turn } = openLoop()
  t.equal(turn(10 + maxWaitingOfAll + 5, { mayRefuse: false }).refused, 5)
})

t.test(
  'overload without an end: a share of each turn is served, and nothing waits for long',
  async (t) => {
    const { turn, waitedMs, served, refused } = openLoop()
    // Ten times as many as can be served.
    for (let i = 0; i < 300; i += 1) turn(100)
    t.ok(refused.length > served.length)
    t.ok(served.length >= 300 * 8, `${served.length} are served`)
    t.ok(Math.max(...waitedMs) < 500, `for ${Math.max(...waitedMs)} ms at most`)
  },
)
