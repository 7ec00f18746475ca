import { Connection } from './connection.ts'
import type { Question } from './question.ts'
import { percentile } from './statistics.ts'

export interface Latency {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** How late the requests themselves were sent, at the 99th percentile: the client's own part. */
  readonly lateP99Ms: number
}

/** Enough that a request need not wait for a connection unless the server lets it wait. */
const connections = 64

/** How long answers may take once the last request is due. */
const graceMs = 10_000

/**
 * How long answers take when requests come at a constant rate, whether or not earlier ones have been
 * answered. Latency counts from when a request was due, so a stall shows on all that it held up.
 */
export async function measureLatency(
  port: number,
  questions: readonly Question[],
  perSecond: number,
  durationMs: number,
): Promise<Latency> {
  const total = Math.floor((perSecond * durationMs) / 1000)
  const latencies = new Float64Array(total)
  const lateness = new Float64Array(total)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const free: Connection[] = []
  const under = new Map<Connection, number>()
  let sent = 0
  let answered = 0
  let isOver = false

  // Time for the connections to be there before the first request is due.
  const startAt = performance.now() + 100
  const dueAt = (index: number) => startAt + (index * 1000) / perSecond
  const onAnswer = (connection: Connection) => {
    const index = under.get(connection) ?? 0
    latencies[index] = performance.now() - dueAt(index)
    free.push(connection)
    if (++answered === total) resolve()
  }
  // Looks at the clock all the time: a timer would come up to a millisecond late.
  const tick = () => {
    const now = performance.now()
    while (sent < total && dueAt(sent) <= now) {
      const connection = free.pop()
      const question = questions[sent % questions.length]
      if (connection === undefined || question === undefined) break
      lateness[sent] = now - dueAt(sent)
      under.set(connection, sent++)
      connection.send(question.bytes)
    }
    if (!isOver) setImmediate(tick)
  }
  const open = Array.from({ length: connections }, () => new Connection(port, onAnswer, reject))
  free.push(...open)
  const timer = setTimeout(() => {
    reject(new Error(`${total - answered} of ${total} requests were not answered in time`))
  }, durationMs + graceMs)
  tick()
  try {
    await promise
  } finally {
    isOver = true
    clearTimeout(timer)
    for (const connection of open) connection.close()
  }
  latencies.sort()
  lateness.sort()
  return {
    p50Ms: percentile(latencies, 50),
    p99Ms: percentile(latencies, 99),
    maxMs: percentile(latencies, 100),
    lateP99Ms: percentile(lateness, 99),
  }
}
