import { call } from '@svc/test/support/http'
import { measureThroughput } from './load/closed-loop.ts'
import { measureLatency } from './load/open-loop.ts'
import { postBytes, type Question } from './load/question.ts'
import { alternate, median } from './load/statistics.ts'
import type { Row, Run } from './row.ts'
import { checkAnswer, toQuestion } from './servers/flags.ts'
import { startBareServer, startPinnedFleet } from './servers/start.ts'

const path = '/evaluate/v1/boolean'
const flagKey = 'checkout'

/** Enough that neither server sees the same again soon; the bytes stay in the processor's cache. */
const questionCount = 300

/** A rate at which neither server is busy, so that latency is not a matter of queues. */
const requestsPerSecond = 2000

const usual = { rounds: 7, throughputMs: 3000, latencyMs: 5000, warmUpMs: 4000 }
const quick = { rounds: 5, throughputMs: 1200, latencyMs: 2000, warmUpMs: 2000 }

/** The authenticated evaluation of a boolean flag, against a server that does nothing. */
export async function measureHttp(run: Run): Promise<readonly Row[]> {
  const fleet = await startPinnedFleet(run, [flagKey])
  const answerBytes = await typicalSize(fleet.urls[0], fleet.token)
  const barePort = await startBareServer(run, answerBytes)
  const questions = makeQuestions(fleet.token)
  const bareQuestions = questions.map(({ bytes }) => ({ bytes, check: () => {} }))
  const times = run.quick ? quick : usual

  const load = (durationMs: number) =>
    [
      () => measureThroughput(barePort, bareQuestions, durationMs),
      () => measureThroughput(fleet.port, questions, durationMs),
    ] as const
  for (const warmUp of load(times.warmUpMs)) await warmUp()
  run.say(`answers have ${answerBytes} bytes; ${times.rounds} rounds, in alternation`)
  const throughput = await alternate(
    times.rounds,
    ...load(times.throughputMs),
    (measured) => measured.perSecond,
  )
  for (const [name, rounds] of [
    ['bare', throughput.a] as const,
    ['gateway', throughput.b] as const,
  ]) {
    run.say(
      `${name}: ${rounds.map((round) => Math.round(round.perSecond)).join(' ')} requests/s, ` +
        `client ${toPercent(median(rounds.map((round) => round.clientShare)))} of its core`,
    )
  }

  const latency = await alternate(
    times.rounds,
    () => measureLatency(barePort, bareQuestions, requestsPerSecond, times.latencyMs),
    () => measureLatency(fleet.port, questions, requestsPerSecond, times.latencyMs),
    (measured) => measured.p99Ms,
  )
  for (const [name, rounds] of [['bare', latency.a] as const, ['gateway', latency.b] as const]) {
    const of = (value: (round: (typeof rounds)[number]) => number) =>
      median(rounds.map(value)).toFixed(3)
    run.say(
      `${name} at ${requestsPerSecond}/s: p50 ${of((r) => r.p50Ms)} ms, ` +
        `p99 ${of((r) => r.p99Ms)} ms (${rounds.map((r) => r.p99Ms.toFixed(2)).join(' ')}), ` +
        `max ${of((r) => r.maxMs)} ms; sent late by ${of((r) => r.lateP99Ms)} ms at p99`,
    )
  }

  const bare = median(throughput.a.map((round) => round.perSecond))
  const gateway = median(throughput.b.map((round) => round.perSecond))
  const bareP99 = median(latency.a.map((round) => round.p99Ms))
  const gatewayP99 = median(latency.b.map((round) => round.p99Ms))
  return [
    {
      id: 'http',
      ratio: throughput.ratio,
      target: { atLeast: 0.8 },
      what: 'requests/s of an authenticated boolean evaluation, over a bare node:http server',
      detail: `${Math.round(gateway)}/${Math.round(bare)}`,
      also: {
        p99: {
          ratio: latency.ratio,
          target: { atMost: 1.5 },
          what: `p99 of the same at a constant ${requestsPerSecond} requests/s`,
          detail: `${gatewayP99.toFixed(2)}/${bareP99.toFixed(2)} ms`,
        },
      },
    },
  ]
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

function toPercent(share: number): string {
  return `${Math.round(share * 100)} %`
}
