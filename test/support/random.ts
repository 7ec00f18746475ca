/** Choices that are the same for the same seed, so that a failure can be repeated. */
export interface Random {
  /** From 0 to below `limit`. */
  below(limit: number): number
  pick<T>(choices: readonly T[]): T
  /** @param probability from 0 to 1 */
  happens(probability: number): boolean
}

/** A linear congruential generator modulo 2^32, of which the upper bits are used. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const fraction = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) / 2 ** 24
  }
  const below = (limit: number) => Math.floor(fraction() * limit)
  return {
    below,
    happens: (probability) => fraction() < probability,
    pick<T>(choices: readonly T[]): T {
      const choice = choices[below(choices.length)]
      if (choice === undefined) throw new Error('nothing to pick from')
      return choice
    },
  }
}
