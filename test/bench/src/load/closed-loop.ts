import { Connection } from './connection.ts'
import type { Question } from './question.ts'

export interface Throughput {
  readonly perSecond: number
  readonly answered: number
  /** Which part of its core the client took: near 1, it is the client that was measured. */
  readonly clientShare: number
}

/** Enough that the server always has work; more only makes each wait longer. */
const usualConnections = 32

/** Every answer is counted and its status read; the body of one in so many is looked at. */
const checkedEvery = 500

/**
 * How many requests per second a server answers when each connection sends the next one as soon as
 * it has an answer.
 */
export async function measureThroughput(
  port: number,
  questions: readonly Question[],
  durationMs: number,
  connections = usualConnections,
): Promise<Throughput> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const open: Connection[] = []
  let asked = 0
  let answered = 0
  const ask = (connection: Connection): void => {
    const question = questions[asked++ % questions.length]
    if (question !== undefined) connection.send(question.bytes)
    expected.set(connection, question)
  }
  const expected = new Map<Connection, Question | undefined>()
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const timer = setTimeout(resolve, durationMs)
  for (let i = 0; i < connections; i++) {
    const connection = new Connection(
      port,
      (connection, answer) => {
        if (++answered % checkedEvery === 0) expected.get(connection)?.check(answer.text())
        ask(connection)
      },
      reject,
    )
    open.push(connection)
    ask(connection)
  }
  try {
    await promise
  } finally {
    clearTimeout(timer)
    for (const connection of open) connection.close()
  }
  const tookMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    perSecond: (answered * 1000) / tookMs,
    answered,
    clientShare: (user + system) / 1000 / tookMs,
  }
}
