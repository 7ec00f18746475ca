import type { Fleet } from '@svc/test/support/fleet'
import type { ServiceProcess } from '@svc/test/support/service-process'
import { loadFully, type MeteredThroughput, type Side, warmUp } from './load/metered.ts'
import { alternate, type Compared, median, medianOf } from './load/statistics.ts'
import type { Figure, Row, Run } from './row.ts'
import { makeQuestions } from './servers/questions.ts'
import { startPinnedFleet, startPinnedGateway } from './servers/start.ts'

const flagKey = 'checkout'

/**
 * The difference is smaller than that of two processes of one program, so many pairs of processes are measured, each
 * for a short time.
 */
const usual = { pairs: 9, rounds: 10, durationMs: 300 }
const quick = { pairs: 3, rounds: 6, durationMs: 200 }

/** A gateway that measures itself and one that does not. */
interface Pair {
  readonly throughput: Compared<MeteredThroughput>
  /** How much longer the start of the one that measures took. */
  readonly laterMs: number
}

/** Evaluations of a gateway with metrics, over one with `metrics.enabled: false`; and how much later it starts. */
export async function measureMetrics(run: Run): Promise<readonly Row[]> {
  const fleet = await startPinnedFleet(run, [flagKey])
  const pairs: Pair[] = []
  for (let n = 0; n < (run.quick ? quick : usual).pairs; n++) {
    pairs.push(await measurePair(run, fleet, n % 2 === 0))
  }
  return [
    { id: 'metrics', ...throughputOf(pairs), also: { cpu: cpuOf(pairs), start: startOf(pairs) } },
  ]
}

/** @param withFirst which of the two is started first */
async function measurePair(run: Run, fleet: Fleet, withFirst: boolean): Promise<Pair> {
  const { rounds, durationMs } = run.quick ? quick : usual
  const startWith = () => timeStart(fleet, {})
  const startWithout = () => timeStart(fleet, { SVC_METRICS_ENABLED: 'false' })
  const first = await (withFirst ? startWith() : startWithout())
  const second = await (withFirst ? startWithout() : startWith())
  const [measuring, bare] = withFirst ? [first, second] : [second, first]
  const questions = makeQuestions(flagKey, fleet.token)
  const sideOf = (name: string, { port, pid }: ServiceProcess): Side => ({
    name,
    questions,
    port,
    pid,
  })
  const [withMetrics, without] = [
    sideOf('with', measuring.gateway),
    sideOf('without', bare.gateway),
  ]
  for (const side of [without, withMetrics]) await warmUp(side)
  const throughput = await alternate(
    rounds,
    () => loadFully(without, durationMs),
    () => loadFully(withMetrics, durationMs),
    ({ perSecond }) => perSecond,
  )
  const laterMs = measuring.tookMs - bare.tookMs
  run.say(
    `${throughput.ratio.toFixed(3)} x, ready after ${measuring.tookMs.toFixed(0)} ms with metrics ` +
      `and ${bare.tookMs.toFixed(0)} ms without`,
  )
  for (const { gateway } of [measuring, bare]) await gateway.kill()
  return { throughput, laterMs }
}

async function timeStart(fleet: Fleet, env: Readonly<Record<string, string>>) {
  const startedAt = performance.now()
  const gateway = await startPinnedGateway(fleet, env)
  return { gateway, tookMs: performance.now() - startedAt }
}

function throughputOf(pairs: readonly Pair[]): Figure {
  const all = pairs.map(({ throughput }) => throughput)
  const sides = [all.flatMap(({ b }) => b), all.flatMap(({ a }) => a)]
  return {
    ratio: median(all.map(({ ratio }) => ratio)),
    target: { atLeast: 0.95 },
    what: 'requests/s of an authenticated boolean evaluation with metrics, over metrics.enabled: false',
    detail: sides.map((side) => Math.round(medianOf(side, 'perSecond'))).join('/'),
  }
}

function cpuOf(pairs: readonly Pair[]): Figure {
  const micros = pairs.map(({ throughput: { a, b } }) => ({
    without: medianOf(a, 'cpuMicros'),
    with: medianOf(b, 'cpuMicros'),
  }))
  return {
    ratio: median(micros.map((each) => each.without / each.with)),
    what: 'the same by processor time for a request',
    detail: `${medianOf(micros, 'without').toFixed(1)}/${medianOf(micros, 'with').toFixed(1)} µs`,
  }
}

function startOf(pairs: readonly Pair[]): Figure {
  return {
    ratio: median(pairs.map(({ laterMs }) => laterMs)),
    unit: 'ms',
    target: { atMost: 200 },
    what: 'how much later a gateway is ready with metrics',
    detail: `${pairs.length} starts of each, in alternation`,
  }
}
