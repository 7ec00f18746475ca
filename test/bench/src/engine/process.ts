// Where two engines are compared: a process without anything else in it, for what is loaded besides
// is felt by all. A class that extends String, as ioredis has one, makes every method of strings slow.
import { alternate, median } from '../load/statistics.ts'
import { checkAnswers, checkSameAnswers } from './check.ts'
import { startClient } from './client.ts'
import type { Contestant } from './contestant.ts'
import { startFlagd } from './flagd.ts'
import { startFlipt } from './flipt.ts'
import { startOurs } from './ours.ts'
import { startUnleash } from './unleash.ts'
import { noAnswers, type Order, toTexts, toValues } from './workload.ts'

/** Each asked with what it takes best, but for those that are compared with each other. */
const contestants = {
  engine: (order: Order) => startOurs(order),
  'engine with values': (order: Order) => startOurs(order, toValues),
  client: (order: Order) => startClient(order),
  'client with texts': (order: Order) => startClient(order, toTexts),
  flagd: startFlagd,
  unleash: startUnleash,
  flipt: startFlipt,
}

export interface Task {
  readonly ours: keyof typeof contestants
  readonly peer: keyof typeof contestants
  readonly order: Order
  readonly rounds: number
  readonly turnMs: number
  readonly warmUpMs: number
}

/** Nanoseconds of one evaluation. */
export interface Cost {
  readonly boolean: number
  readonly variant: number
  /** One of each. */
  readonly both: number
}

export interface Comparison {
  readonly peerName: string
  /** How many times as long the peer takes for both. */
  readonly ratio: number
  readonly ours: Cost
  readonly peer: Cost
}

process.once('message', (task: Task) => {
  compare(task).then(
    (comparison) => process.send?.(comparison, () => process.exit()),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
// The parent process has ended.
process.on('disconnect', () => process.exit())

async function compare(task: Task): Promise<Comparison> {
  const { order, rounds, turnMs, warmUpMs } = task
  const ours = await contestants[task.ours](order)
  const peer = await contestants[task.peer](order)
  for (const contestant of [ours, peer]) {
    checkAnswers(order, contestant)
    measureTurn(contestant, warmUpMs)
  }
  // Only these divide entities in the same way.
  if (task.peer === 'flipt' || task.peer.startsWith('client')) checkSameAnswers(ours, peer)
  const measured = await alternate(
    rounds,
    async () => measureTurn(ours, turnMs),
    async () => measureTurn(peer, turnMs),
    ({ both }) => both,
  )
  ours.close()
  peer.close()
  return {
    peerName: peer.name,
    ratio: measured.ratio,
    ours: summarize(measured.a),
    peer: summarize(measured.b),
  }
}

function summarize(costs: readonly Cost[]): Cost {
  return {
    boolean: median(costs.map(({ boolean }) => boolean)),
    variant: median(costs.map(({ variant }) => variant)),
    both: median(costs.map(({ both }) => both)),
  }
}

function measureTurn({ evaluateBooleans, evaluateVariants }: Contestant, turnMs: number): Cost {
  const boolean = measure(evaluateBooleans, noAnswers(false), turnMs / 2)
  const variant = measure(evaluateVariants, noAnswers(''), turnMs / 2)
  return { boolean, variant, both: boolean + variant }
}

/**
 * In processor time: what else the machine does meanwhile counts for less, and what a contestant
 * leaves to other threads, collecting its garbage, is counted.
 */
function measure<T>(evaluate: (answers: T[]) => void, answers: T[], durationMs: number): number {
  const until = performance.now() + durationMs
  const before = process.cpuUsage()
  let count = 0
  do {
    evaluate(answers)
    count += answers.length
  } while (performance.now() < until)
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / count
}
