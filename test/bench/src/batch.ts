import { measureThroughput } from './load/closed-loop.ts'
import { postBytes, type Question } from './load/question.ts'
import { alternate, median } from './load/statistics.ts'
import type { Figure, Row, Run } from './row.ts'
import { checkAnswer, checkOfrepAnswer, toQuestion } from './servers/flags.ts'
import { startPinnedFleet } from './servers/start.ts'

/** How many flags a request asks for. */
const batchSize = 100

/** How many batches there are; each of their items is also asked by itself. */
const batchCount = 3

const usual = { rounds: 7, durationMs: 1500, warmUpMs: 3000 }
const quick = { rounds: 3, durationMs: 500, warmUpMs: 500 }

/** The same evaluations, one in a request and many in a request. */
interface Pair {
  readonly name: string
  readonly single: readonly Question[]
  readonly many: readonly Question[]
  readonly what: string
}

/** Evaluations per second, many flags in a request, against the same flags one by one. */
export async function measureBatch(run: Run): Promise<readonly Row[]> {
  const flagKeys = Array.from({ length: batchSize }, (_, number) => `flag-${number}`)
  const { port, token } = await startPinnedFleet(run, flagKeys)
  const batch = await compare(run, port, {
    name: 'batch',
    single: makeSingles(token, flagKeys),
    many: makeBatches(token, flagKeys),
    what: `evaluations/s in batches of ${batchSize}, over one by one`,
  })
  const ofrep = await compare(run, port, {
    name: 'ofrep',
    single: makeOfrepSingles(token, flagKeys),
    many: makeOfrepBulks(token, flagKeys),
    what: `evaluations/s in OFREP bulks of ${batchSize}, over one by one by OFREP`,
  })
  return [{ id: 'batch', ...batch, also: { ofrep } }]
}

async function compare(
  run: Run,
  port: number,
  { name, single, many, what }: Pair,
): Promise<Figure> {
  const { rounds, durationMs, warmUpMs } = run.quick ? quick : usual
  const load = (ms: number) =>
    [
      () => measureThroughput(port, single, ms),
      async () => {
        const measured = await measureThroughput(port, many, ms)
        return { ...measured, perSecond: measured.perSecond * batchSize }
      },
    ] as const
  for (const warmUp of load(warmUpMs)) await warmUp()
  const measured = await alternate(rounds, ...load(durationMs), ({ perSecond }) => perSecond)
  const sides = { 'one by one': measured.a, together: measured.b }
  for (const [side, rounds] of Object.entries(sides)) {
    run.say(
      `${name}, ${side}: ${rounds.map(({ perSecond }) => Math.round(perSecond)).join(' ')} ` +
        `evaluations/s, client ${Math.round(median(rounds.map((round) => round.clientShare)) * 100)} ` +
        '% of its core',
    )
  }
  const perSecond = [measured.b, measured.a].map((rounds) =>
    Math.round(median(rounds.map((round) => round.perSecond))),
  )
  return { ratio: measured.ratio, target: { atLeast: 15 }, what, detail: perSecond.join('/') }
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
        checkCount(responses)
        for (const [i, question] of requests.entries()) {
          checkAnswer(question, responses[i].booleanResponse)
        }
      },
    }
  })
}

function makeOfrepSingles(token: string, flagKeys: readonly string[]): readonly Question[] {
  return numbers(batchCount).flatMap((number) =>
    flagKeys.map((flagKey) => {
      const question = toQuestion(flagKey, number)
      return {
        bytes: postBytes(`/ofrep/v1/evaluate/flags/${flagKey}`, token, toOfrep(number)),
        check: (body: string) => checkOfrepAnswer(question, JSON.parse(body)),
      }
    }),
  )
}

function makeOfrepBulks(token: string, flagKeys: readonly string[]): readonly Question[] {
  return numbers(batchCount).map((number) => ({
    bytes: postBytes('/ofrep/v1/evaluate/flags', token, toOfrep(number)),
    check(body: string) {
      const { flags } = JSON.parse(body)
      checkCount(flags)
      for (const [i, flagKey] of flagKeys.entries()) {
        checkOfrepAnswer(toQuestion(flagKey, number), flags[i])
      }
    },
  }))
}

/** The same entity and context as OFREP takes them. */
function toOfrep(number: number): object {
  const { entityId, context } = toQuestion('', number)
  return { context: { targetingKey: entityId, ...context } }
}

function checkCount(answers: readonly unknown[]): void {
  if (answers.length !== batchSize) throw new Error(`${answers.length} answers`)
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, number) => number)
}
