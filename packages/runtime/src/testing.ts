import { setTimeout as sleep } from 'node:timers/promises'

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

/** Whatever else a process does in between, in milliseconds: collecting garbage, compiling. */
const noiseMs = 3

/** @returns the CPU time that it takes, in milliseconds */
function costOf(read: (text: string) => unknown, text: string): number {
  const times = Array.from({ length: 4 }, () => {
    const before = process.cpuUsage()
    try {
      read(text)
    } catch {
      // Refused, which is as good.
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...times)
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
    const costs = [length, 8 * length, 64 * length].map((length) => {
      const fill = piece.repeat(length / piece.length)
      return Math.max(costOf(read, fill), costOf(read, `a${fill}a`))
    })
    const isLinear = costs.every((cost, i) => cost <= (costs[i - 1] ?? cost) * 2 * 8 + noiseMs)
    if (isLinear) return []
    // A busy machine makes a measurement wrong; a defect is there each time.
    return attempts > 1 ? faultOf(piece, attempts - 1) : [`${JSON.stringify(piece)}: ${costs} ms`]
  }
  return pieces.flatMap((piece) => faultOf(piece))
}
