import { cpuMsOf } from '../growth/usage.ts'
import { measureThroughput, type Throughput } from './closed-loop.ts'
import type { Question } from './question.ts'

/** A server and what it is asked. */
export interface Side {
  readonly name: string
  readonly port: number
  readonly pid: number
  readonly questions: readonly Question[]
}

export interface MeteredThroughput extends Throughput {
  /** The processor time of the server for a request; NaN where the system does not report it. */
  readonly cpuMicros: number
}

/** Keeps a server busy, and reads what processor time it takes. */
export async function loadFully(
  { port, pid, questions }: Side,
  durationMs: number,
): Promise<MeteredThroughput> {
  const before = cpuMsOf(pid)
  const measured = await measureThroughput(port, questions, durationMs)
  return { ...measured, cpuMicros: ((cpuMsOf(pid) - before) * 1000) / measured.answered }
}

/** By then Node.js has compiled what a server does, which is more for one than for another. */
const warmUpRequests = 40_000

export async function warmUp(side: Side): Promise<void> {
  let answered = 0
  while (answered < warmUpRequests) answered += (await loadFully(side, 500)).answered
}
