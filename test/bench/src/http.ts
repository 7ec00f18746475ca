import { call } from '@svc/test/support/http'
import { cpuMsOf } from './growth/usage.ts'
import { measureThroughput } from './load/closed-loop.ts'
import { type Latency, measureLatency } from './load/open-loop.ts'
import { postBytes, type Question } from './load/question.ts'
import { alternate, median } from './load/statistics.ts'
import type { Figure, Row, Run } from './row.ts'
import { checkAnswer, toQuestion } from './servers/flags.ts'
import { type LoadedServer, startBareServer, startPinnedFleet } from './servers/start.ts'

const path = '/evaluate/v1/boolean'
const flagKey = 'checkout'

/** Enough that neither server sees the same again soon; the bytes stay in the processor's cache. */
const questionCount = 300

/** A rate at which neither server is busy, so that latency is not a matter of queues. */
const requestsPerSecond = 2000

const usual = { rounds: 15, throughputMs: 1500, latencyMs: 2500 }
const quick = { rounds: 7, throughputMs: 500, latencyMs: 800 }

/** By then Node.js has compiled what each of them does, which is more for one than for the other. */
const warmUpRequests = 40_000

/** A server and what it is asked. */
interface Side extends LoadedServer {
  readonly name: string
  readonly questions: readonly Question[]
}

/** The authenticated evaluation of a boolean flag, against a server that does nothing. */
export async function measureHttp(run: Run): Promise<readonly Row[]> {
  const fleet = await startPinnedFleet(run, [flagKey])
  const { token, port, pid } = fleet
  const questions = makeQuestions(token)
  const answerBytes = await typicalSize(fleet.urls[0], token)
  const bare = {
    name: 'bare',
    questions: questions.map(({ bytes }) => ({ bytes, check: () => {} })),
    ...(await startBareServer(run, answerBytes)),
  }
  const gateway = { name: 'gateway', questions, port, pid }
  const times = run.quick ? quick : usual
  for (const side of [bare, gateway]) await warmUp(side)
  run.say(`answers have ${answerBytes} bytes; ${times.rounds} rounds, in alternation`)
  const { throughput, cpu } = await compareThroughput(run, bare, gateway, times)
  const p99 = await compareLatency(run, bare, gateway, times)
  return [{ id: 'http', ...throughput, also: { p99, cpu } }]
}

type Times = typeof usual

async function warmUp(side: Side): Promise<void> {
  let answered = 0
  while (answered < warmUpRequests) answered += (await loadFully(side, 500)).answered
}

/** Keeps a server busy. Its processor time is NaN where the system does not tell. */
async function loadFully({ port, pid, questions }: Side, durationMs: number) {
  const before = cpuMsOf(pid)
  const measured = await measureThroughput(port, questions, durationMs)
  return { ...measured, cpuMicros: ((cpuMsOf(pid) - before) * 1000) / measured.answered }
}

async function compareThroughput(
  run: Run,
  bare: Side,
  gateway: Side,
  { rounds, throughputMs }: Times,
): Promise<{ readonly throughput: Figure; readonly cpu: Figure }> {
  const measured = await alternate(
    rounds,
    () => loadFully(bare, throughputMs),
    () => loadFully(gateway, throughputMs),
    ({ perSecond }) => perSecond,
  )
  const sides = { [bare.name]: measured.a, [gateway.name]: measured.b }
  for (const [name, rounds] of Object.entries(sides)) {
    run.say(
      `${name}: ${rounds.map(({ perSecond }) => Math.round(perSecond)).join(' ')} requests/s, ` +
        `client ${Math.round(median(rounds.map((round) => round.clientShare)) * 100)} % of its core`,
    )
  }
  const medianOf = (rounds: typeof measured.a, of: 'perSecond' | 'cpuMicros') =>
    median(rounds.map((round) => round[of]))
  const perSecond = [measured.b, measured.a].map((rounds) => medianOf(rounds, 'perSecond'))
  const micros = [measured.a, measured.b].map((rounds) => medianOf(rounds, 'cpuMicros'))
  const [bareMicros = Number.NaN, gatewayMicros = Number.NaN] = micros
  return {
    throughput: {
      ratio: measured.ratio,
      target: { atLeast: 0.8 },
      what: 'requests/s of an authenticated boolean evaluation, over a bare node:http server',
      detail: perSecond.map(Math.round).join('/'),
    },
    cpu: {
      ratio: bareMicros / gatewayMicros,
      what: 'the same by processor time for a request, which hardly depends on who else is busy',
      detail: `${micros.map((each) => each.toFixed(1)).join('/')} µs`,
    },
  }
}

async function compareLatency(
  run: Run,
  bare: Side,
  gateway: Side,
  { rounds, latencyMs }: Times,
): Promise<Figure> {
  const load = ({ port, questions }: Side) =>
    measureLatency(port, questions, requestsPerSecond, latencyMs)
  const measured = await alternate(
    rounds,
    () => load(bare),
    () => load(gateway),
    ({ p99Ms }) => p99Ms,
  )
  const medianOf = (rounds: typeof measured.a, of: keyof Latency) =>
    median(rounds.map((round) => round[of])).toFixed(2)
  const sides = { [bare.name]: measured.a, [gateway.name]: measured.b }
  for (const [name, rounds] of Object.entries(sides)) {
    run.say(
      `${name} at ${requestsPerSecond}/s: p50 ${medianOf(rounds, 'p50Ms')} ms, ` +
        `p99 ${medianOf(rounds, 'p99Ms')} ms, max ${medianOf(rounds, 'maxMs')} ms; ` +
        `sent late by ${medianOf(rounds, 'lateP99Ms')} ms at p99`,
    )
  }
  return {
    ratio: measured.ratio,
    target: { atMost: 1.5 },
    what: `p99 of the same at a constant ${requestsPerSecond} requests/s`,
    detail: `${medianOf(measured.b, 'p99Ms')}/${medianOf(measured.a, 'p99Ms')} ms`,
  }
}

function makeQuestions(token: string): readonly Question[] {
  return Array.from({ length: questionCount }, (_, number) => {
    const question = toQuestion(flagKey, number)
    return {
      bytes: postBytes(path, token, question),
      check: (body) => checkAnswer(question, JSON.parse(body)),
    }
  })
}

/** The median length of the answers, which differ in what they say and how long they took. */
async function typicalSize(url: string, token: string): Promise<number> {
  const sizes: number[] = []
  for (let number = 0; number < questionCount; number++) {
    const question = toQuestion(flagKey, number)
    const answer = await call(url, 'POST', path, question, { authorization: `Bearer ${token}` })
    if (answer.status === 200) sizes.push(Buffer.byteLength(answer.text))
  }
  return Math.round(median(sizes))
}
