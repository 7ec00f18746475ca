import { call } from '@svc/test/support/http'
import { loadFully, type MeteredThroughput, type Side, warmUp } from './load/metered.ts'
import { type Latency, measureLatency } from './load/open-loop.ts'
import { alternate, type Compared, mean, median, medianOf, together } from './load/statistics.ts'
import type { Figure, Row, Run } from './row.ts'
import { toQuestion } from './servers/flags.ts'
import { evaluationPath, makeQuestions, questionCount } from './servers/questions.ts'
import { startBareServer, startPinnedFleet, startPinnedGateway } from './servers/start.ts'

const flagKey = 'checkout'

/** A rate at which neither server is busy, so that latency is not a matter of queues. */
const requestsPerSecond = 2000

/**
 * Several processes of each server are measured, one of each at a time, and each in several rounds.
 * Two processes of the same program differ by a tenth in what a request costs them, by where in memory
 * they happen to lie.
 */
const usual = {
  processes: 3,
  throughput: { rounds: 20, durationMs: 500 },
  latency: { rounds: 10, durationMs: 1500 },
}
const quick = {
  processes: 2,
  throughput: { rounds: 8, durationMs: 200 },
  latency: { rounds: 3, durationMs: 500 },
}

/** The authenticated evaluation of a boolean flag, against a server that does nothing. */
export async function measureHttp(run: Run): Promise<readonly Row[]> {
  const fleet = await startPinnedFleet(run, [flagKey])
  const questions = makeQuestions(flagKey, fleet.token)
  const unchecked = questions.map(({ bytes }) => ({ bytes, check: () => {} }))
  const answerBytes = await typicalSize(fleet.urls[0], fleet.token)
  const { processes } = run.quick ? quick : usual
  run.say(`answers have ${answerBytes} bytes; ${processes} processes of each, in alternation`)
  const throughput: Compared<MeteredThroughput>[] = []
  const latency: Compared<Latency>[] = []
  for (let n = 0; n < processes; n++) {
    const { port, pid, kill } = await startPinnedGateway(fleet)
    const gateway = { name: 'gateway', questions, port, pid }
    const bareServer = await startBareServer(run, answerBytes)
    const bare = { name: 'bare', questions: unchecked, ...bareServer }
    for (const side of [bare, gateway]) await warmUp(side)
    throughput.push(await compareThroughput(run, bare, gateway))
    latency.push(await compareLatency(run, bare, gateway))
    await kill()
  }
  return [
    {
      id: 'http',
      ...toThroughputFigure(together(throughput)),
      also: { p99: toLatencyFigure(together(latency)), cpu: toCpuFigure(throughput) },
    },
  ]
}

async function compareThroughput(
  run: Run,
  bare: Side,
  gateway: Side,
): Promise<Compared<MeteredThroughput>> {
  const { rounds, durationMs } = (run.quick ? quick : usual).throughput
  const compared = await alternate(
    rounds,
    () => loadFully(bare, durationMs),
    () => loadFully(gateway, durationMs),
    ({ perSecond }) => perSecond,
  )
  const sides = { [bare.name]: compared.a, [gateway.name]: compared.b }
  for (const [name, measured] of Object.entries(sides)) {
    run.say(
      `${name}: ${measured.map(({ perSecond }) => Math.round(perSecond)).join(' ')} requests/s, ` +
        `client ${Math.round(medianOf(measured, 'clientShare') * 100)} % of its core`,
    )
  }
  run.say(`these two processes: ${compared.ratio.toFixed(2)} x`)
  return compared
}

async function compareLatency(run: Run, bare: Side, gateway: Side): Promise<Compared<Latency>> {
  const { rounds, durationMs } = (run.quick ? quick : usual).latency
  const load = ({ port, questions }: Side) =>
    measureLatency(port, questions, requestsPerSecond, durationMs)
  const compared = await alternate(
    rounds,
    () => load(bare),
    () => load(gateway),
    ({ p99Ms }) => p99Ms,
  )
  const sides = { [bare.name]: compared.a, [gateway.name]: compared.b }
  for (const [name, measured] of Object.entries(sides)) {
    const ms = (of: keyof Latency) => `${medianOf(measured, of).toFixed(2)} ms`
    run.say(
      `${name} at ${requestsPerSecond}/s: p50 ${ms('p50Ms')}, p99 ${ms('p99Ms')}, ` +
        `max ${ms('maxMs')}; sent late by ${ms('lateP99Ms')} at p99`,
    )
  }
  return compared
}

function toThroughputFigure({ a, b, ratio }: Compared<MeteredThroughput>): Figure {
  return {
    ratio,
    target: { atLeast: 0.8 },
    what: 'requests/s of an authenticated boolean evaluation, over a bare node:http server',
    detail: [b, a].map((side) => Math.round(medianOf(side, 'perSecond'))).join('/'),
  }
}

function toCpuFigure(compared: readonly Compared<MeteredThroughput>[]): Figure {
  const pairs = compared.map(({ a, b }) => ({
    bare: medianOf(a, 'cpuMicros'),
    gateway: medianOf(b, 'cpuMicros'),
  }))
  const micros = [pairs.map(({ bare }) => bare), pairs.map(({ gateway }) => gateway)].map(mean)
  return {
    ratio: mean(pairs.map(({ bare, gateway }) => bare / gateway)),
    what: 'the same by processor time for a request, which hardly depends on who else is busy',
    detail: `${micros.map((each) => each.toFixed(1)).join('/')} µs`,
  }
}

function toLatencyFigure({ a, b, ratio }: Compared<Latency>): Figure {
  return {
    ratio,
    target: { atMost: 1.5 },
    what: `p99 of the same at a constant ${requestsPerSecond} requests/s`,
    detail: `${[b, a].map((side) => medianOf(side, 'p99Ms').toFixed(2)).join('/')} ms`,
  }
}

/** The median length of the answers, which differ in what they say and how long they took. */
async function typicalSize(url: string, token: string): Promise<number> {
  const sizes: number[] = []
  for (let number = 0; number < questionCount; number++) {
    const question = toQuestion(flagKey, number)
    const answer = await call(url, 'POST', evaluationPath, question, {
      authorization: `Bearer ${token}`,
    })
    if (answer.status === 200) sizes.push(Buffer.byteLength(answer.text))
  }
  return Math.round(median(sizes))
}
