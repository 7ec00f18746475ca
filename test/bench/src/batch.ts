import { measureThroughput } from './load/closed-loop.ts'
import { postBytes, type Question } from './load/question.ts'
import { alternate, median } from './load/statistics.ts'
import type { Row, Run } from './row.ts'
import { checkAnswer, toQuestion } from './servers/flags.ts'
import { startPinnedFleet } from './servers/start.ts'

/** How many flags a request asks for. */
const batchSize = 100

/** How many batches there are; each of their items is also asked by itself. */
const batchCount = 3

const usual = { rounds: 5, durationMs: 3000, warmUpMs: 3000 }
const quick = { rounds: 3, durationMs: 1200, warmUpMs: 1500 }

/** Evaluations per second, many flags in a request, against the same flags one by one. */
export async function measureBatch(run: Run): Promise<readonly Row[]> {
  const flagKeys = Array.from({ length: batchSize }, (_, number) => `flag-${number}`)
  const fleet = await startPinnedFleet(run, flagKeys)
  const times = run.quick ? quick : usual
  const single = makeSingles(fleet.token, flagKeys)
  const batch = makeBatches(fleet.token, flagKeys)

  const load = (durationMs: number) =>
    [
      () => measureThroughput(fleet.port, single, durationMs),
      async () => {
        const measured = await measureThroughput(fleet.port, batch, durationMs)
        return { ...measured, perSecond: measured.perSecond * batchSize }
      },
    ] as const
  for (const warmUp of load(times.warmUpMs)) await warmUp()
  const measured = await alternate(times.rounds, ...load(times.durationMs), (m) => m.perSecond)
  for (const [name, rounds] of [['single', measured.a] as const, ['batch', measured.b] as const]) {
    run.say(
      `${name}: ${rounds.map((round) => Math.round(round.perSecond)).join(' ')} evaluations/s, ` +
        `client ${Math.round(median(rounds.map((round) => round.clientShare)) * 100)} % of its core`,
    )
  }
  const [one, many] = [measured.a, measured.b].map((rounds) =>
    Math.round(median(rounds.map((round) => round.perSecond))),
  )
  return [
    {
      id: 'batch',
      ratio: measured.ratio,
      target: { atLeast: 15 },
      what: `evaluations/s in batches of ${batchSize}, over one by one`,
      detail: `${many}/${one}`,
    },
  ]
}

function makeSingles(token: string, flagKeys: readonly string[]): readonly Question[] {
  return numbers(batchCount).flatMap((number) =>
    flagKeys.map((flagKey) => {
      const question = toQuestion(flagKey, number)
      return {
        bytes: postBytes('/evaluate/v1/boolean', token, question),
        check: (body: string) => checkAnswer(question, JSON.parse(body)),
      }
    }),
  )
}

function makeBatches(token: string, flagKeys: readonly string[]): readonly Question[] {
  return numbers(batchCount).map((number) => {
    const requests = flagKeys.map((flagKey) => toQuestion(flagKey, number))
    return {
      bytes: postBytes('/evaluate/v1/batch', token, { requests }),
      check(body: string) {
        const { responses } = JSON.parse(body)
        if (responses.length !== batchSize) throw new Error(`${responses.length} answers`)
        for (const [i, question] of requests.entries()) {
          checkAnswer(question, responses[i].booleanResponse)
        }
      },
    }
  })
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, number) => number)
}
