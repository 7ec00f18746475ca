import { Connection } from './connection.ts'
import type { Question } from './question.ts'
import { percentile } from './statistics.ts'

/** In milliseconds. */
export interface Latency {
  readonly p50: number
  readonly p99: number
}

/** How long a server takes for each request when it has one at a time. Every answer is looked at. */
export async function measureLatency(
  port: number,
  questions: Iterator<Question, never>,
  count: number,
): Promise<Latency> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const tookMs = new Float64Array(count)
  let answered = 0
  let question = questions.next().value
  let sentAt = performance.now()
  const connection = new Connection(
    port,
    (connection, answer) => {
      tookMs[answered] = performance.now() - sentAt
      try {
        question.check(answer.text())
      } catch (error) {
        reject(error)
        return
      }
      answered += 1
      if (answered === count) {
        resolve()
        return
      }
      question = questions.next().value
      sentAt = performance.now()
      connection.send(question.bytes)
    },
    reject,
  )
  connection.send(question.bytes)
  try {
    await promise
  } finally {
    connection.close()
  }
  tookMs.sort()
  return { p50: percentile(tookMs, 50), p99: percentile(tookMs, 99) }
}
