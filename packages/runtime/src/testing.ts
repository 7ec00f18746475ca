import { mock } from 'node:test'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Test } from 'tap'

/** Only a defect takes this long, even on a busy machine. */
const limitMs = 60_000
const intervalMs = 5

/** Polls until the condition holds; its source text is the message when it does not. */
export async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${limitMs} ms for ${condition}`)
    await sleep(intervalMs)
  }
}

/**
 * Stops `performance.now` and `setTimeout` until the test ends. {@link waitFor} would wait for ever.
 *
 * @returns moves time on, and lets what is due run
 */
export function fakeTime(t: Pick<Test, 'intercept' | 'teardown'>): (ms: number) => Promise<void> {
  let now = Math.ceil(performance.now())
  t.intercept(performance, 'now', { value: () => now })
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  return async (ms) => {
    now += ms
    mock.timers.tick(ms)
    await turn()
  }
}

/** Whatever else a process does in between, in milliseconds: collecting garbage, compiling. */
const noiseMs = 3

/** @returns the least CPU time of four reads, in milliseconds; as little as `enoughMs` ends them */
function costOf(read: (text: string) => unknown, text: string, enoughMs: number): number {
  let leastMs = Number.POSITIVE_INFINITY
  for (let i = 0; i < 4 && leastMs > enoughMs; i++) {
    const before = process.cpuUsage()
    try {
      read(text)
    } catch {
      // Refused, which is as good.
    }
    const { user, system } = process.cpuUsage(before)
    leastMs = Math.min(leastMs, (user + system) / 1000)
  }
  return leastMs
}

/**
 * Reads each piece, repeated, at three lengths: each eight times the one before. What is linear takes
 * eight times as long, what is not, 64 times.
 *
 * @param length of the shortest text
 * @returns the pieces for which it takes more than twice what is linear, with the times
 */
export function findSuperlinear(
  read: (text: string) => unknown,
  pieces: readonly string[],
  length: number,
): string[] {
  const faultOf = (piece: string, attempts = 10): string[] => {
    const cost = (length: number, enoughMs = 0) => {
      const fill = piece.repeat(length / piece.length)
      return Math.max(costOf(read, fill, enoughMs), costOf(read, `a${fill}a`, enoughMs))
    }
    const linearAfter = (costMs: number) => costMs * 2 * 8 + noiseMs
    const first = cost(length)
    const second = cost(8 * length)
    const third = cost(64 * length, linearAfter(second))
    const costs = [first, second, third]
    if (second <= linearAfter(first) && third <= linearAfter(second)) return []
    // A busy machine makes a measurement wrong; a defect is there each time.
    return attempts > 1 ? faultOf(piece, attempts - 1) : [`${JSON.stringify(piece)}: ${costs} ms`]
  }
  return pieces.flatMap((piece) => faultOf(piece))
}
