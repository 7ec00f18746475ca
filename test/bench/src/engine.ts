import { checkAnswers, checkSameAnswers } from './engine/check.ts'
import type { Contestant } from './engine/contestant.ts'
import { startFlagd } from './engine/flagd.ts'
import { startFlipt } from './engine/flipt.ts'
import { startOurs } from './engine/ours.ts'
import { startUnleash } from './engine/unleash.ts'
import { alternate, median } from './load/statistics.ts'
import type { Row, RowId, Run } from './row.ts'

interface Peer {
  readonly id: RowId
  readonly atLeast: number
  start(): Contestant | Promise<Contestant>
  /** Whether it divides entities in the same way, so that each answer must be the same. */
  readonly hasSameHash?: true
}

const peers: readonly Peer[] = [
  { id: 'engine.flagd-core', atLeast: 10, start: startFlagd },
  { id: 'engine.unleash', atLeast: 2, start: startUnleash },
  { id: 'engine.flipt', atLeast: 5, start: startFlipt, hasSameHash: true },
]

const usual = { rounds: 15, turnMs: 150, warmUpMs: 1500 }
const quick = { rounds: 7, turnMs: 80, warmUpMs: 800 }

/** Nanoseconds for one evaluation. */
interface Cost {
  readonly boolean: number
  readonly variant: number
  /** One of each. */
  readonly both: number
}

/** What an evaluation costs in this process, beside the engines of other flag services. */
export async function measureEngine(run: Run): Promise<readonly Row[]> {
  const ours = startOurs()
  const rows: Row[] = []
  for (const peer of peers) rows.push(await measurePeer(run, ours, peer))
  return rows
}

async function measurePeer(run: Run, ours: Contestant, peer: Peer): Promise<Row> {
  const { rounds, turnMs, warmUpMs } = run.quick ? quick : usual
  const other = await peer.start()
  run.teardown(async () => other.close())
  for (const contestant of [ours, other]) {
    checkAnswers(contestant)
    measureTurn(contestant, warmUpMs)
  }
  if (peer.hasSameHash) checkSameAnswers(ours, other)
  const measured = await alternate(
    rounds,
    async () => measureTurn(ours, turnMs),
    async () => measureTurn(other, turnMs),
    ({ both }) => both,
  )
  const also = Object.fromEntries(
    (['boolean', 'variant'] as const).map((type) => {
      const [a = Number.NaN, b = Number.NaN] = [measured.a, measured.b].map((costs) =>
        median(costs.map((cost) => cost[type])),
      )
      const detail = `${b.toFixed(0)}/${a.toFixed(0)} ns`
      return [type, { ratio: b / a, what: `the same, of ${type} flags only`, detail }]
    }),
  )
  return {
    id: peer.id,
    ratio: measured.ratio,
    target: { atLeast: peer.atLeast },
    what: `time per evaluation of ${other.name}, over ours`,
    detail: 'boolean and variant flags of one segment, two constraints',
    also,
  }
}

function measureTurn({ evaluateBooleans, evaluateVariants }: Contestant, turnMs: number): Cost {
  const until = performance.now() + turnMs
  const total = { boolean: 0, variant: 0 }
  let count = 0
  do {
    total.boolean += measureCall(evaluateBooleans)
    total.variant += measureCall(evaluateVariants)
    count++
  } while (performance.now() < until)
  const [boolean, variant] = [total.boolean / count, total.variant / count]
  return { boolean, variant, both: boolean + variant }
}

/**
 * In nanoseconds of processor time for each answer: what else the machine does meanwhile counts for
 * less, and what a contestant leaves to other threads, collecting its garbage, is counted.
 */
function measureCall(evaluate: () => readonly unknown[]): number {
  const before = process.cpuUsage()
  const { length } = evaluate()
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / length
}
