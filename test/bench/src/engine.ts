import { checkAnswers, checkSameAnswers } from './engine/check.ts'
import type { Contestant } from './engine/contestant.ts'
import { startFlagd } from './engine/flagd.ts'
import { startFlipt } from './engine/flipt.ts'
import { startOurs } from './engine/ours.ts'
import { startUnleash } from './engine/unleash.ts'
import type { Order } from './engine/workload.ts'
import { alternate, median } from './load/statistics.ts'
import type { Figure, Row, RowId, Run } from './row.ts'

interface Peer {
  readonly id: RowId
  readonly atLeast: number
  start(order: Order): Contestant | Promise<Contestant>
  /** Whether it divides entities in the same way, so that each answer must be the same. */
  readonly hasSameHash?: true
}

const peers: readonly Peer[] = [
  { id: 'engine.flagd-core', atLeast: 10, start: startFlagd },
  { id: 'engine.unleash', atLeast: 2, start: startUnleash },
  { id: 'engine.flipt', atLeast: 5, start: startFlipt, hasSameHash: true },
]

const usual = { rounds: 15, turnMs: 200, warmUpMs: 2000 }
const quick = { rounds: 7, turnMs: 100, warmUpMs: 1000 }

/** Nanoseconds of one evaluation. */
interface Cost {
  readonly boolean: number
  readonly variant: number
  /** One of each. */
  readonly both: number
}

/** What an evaluation costs in this process, beside the engines of other flag services. */
export async function measureEngine(run: Run): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const peer of peers) {
    const inBulk = await compare(run, peer, 'in bulk')
    const oneByOne = await compare(run, peer, 'one by one')
    const { id, atLeast } = peer
    rows.push({
      ...inBulk.figure,
      id,
      target: { atLeast },
      also: { 'one by one': oneByOne.figure, 'a boolean': limit(oneByOne.ours.boolean) },
    })
  }
  return rows
}

/** Measures a peer and ours in alternation. */
async function compare(run: Run, { start, hasSameHash }: Peer, order: Order) {
  const { rounds, turnMs, warmUpMs } = run.quick ? quick : usual
  const ours = startOurs(order)
  const peer = await start(order)
  run.teardown(async () => peer.close())
  for (const contestant of [ours, peer]) {
    checkAnswers(order, contestant)
    measureTurn(contestant, warmUpMs)
  }
  if (hasSameHash) checkSameAnswers(ours, peer)
  const measured = await alternate(
    rounds,
    async () => measureTurn(ours, turnMs),
    async () => measureTurn(peer, turnMs),
    ({ both }) => both,
  )
  const costs = { ours: summarize(measured.a), peer: summarize(measured.b) }
  const figure: Figure = {
    ratio: measured.ratio,
    what: `time of ${peer.name} over ours, all flags of an entity ${order}`,
    detail:
      `boolean ${describe(costs.peer.boolean, costs.ours.boolean)}, ` +
      `variant ${describe(costs.peer.variant, costs.ours.variant)} ns`,
  }
  return { figure, ours: costs.ours }
}

function limit(nanoseconds: number): Figure {
  return {
    ratio: nanoseconds,
    unit: 'ns',
    target: { atMost: 1000 },
    what: 'of ours, with a segment of two constraints and a threshold',
    detail: '',
  }
}

function summarize(costs: readonly Cost[]): Cost {
  return {
    boolean: median(costs.map(({ boolean }) => boolean)),
    variant: median(costs.map(({ variant }) => variant)),
    both: median(costs.map(({ both }) => both)),
  }
}

function describe(peer: number, ours: number): string {
  return `${peer.toFixed(0)}/${ours.toFixed(0)}`
}

function measureTurn({ evaluateBooleans, evaluateVariants }: Contestant, turnMs: number): Cost {
  const boolean = measure(evaluateBooleans, turnMs / 2)
  const variant = measure(evaluateVariants, turnMs / 2)
  return { boolean, variant, both: boolean + variant }
}

/**
 * In processor time: what else the machine does meanwhile counts for less, and what a contestant
 * leaves to other threads, collecting its garbage, is counted.
 */
function measure(evaluate: () => readonly unknown[], durationMs: number): number {
  const until = performance.now() + durationMs
  const before = process.cpuUsage()
  let count = 0
  do count += evaluate().length
  while (performance.now() < until)
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / count
}
