import type { Contestant } from './contestant.ts'
import {
  ask,
  booleanFlags,
  noAnswers,
  type Order,
  percentage,
  type Question,
  variantFlags,
  weights,
} from './workload.ts'

/** In percent: hashes differ, and the cases are too few to be divided without a remainder. */
const tolerance = 5

/**
 * Makes sure that a contestant does the same work as the others: an entity in a flag's segment gets
 * what the flag has for them, and all others are divided as they should be.
 */
export function checkAnswers(order: Order, contestant: Contestant): void {
  const booleans = divide(ask(order, booleanFlags), answersOf(contestant).booleans)
  const variants = divide(ask(order, variantFlags), answersOf(contestant).variants)
  for (const [what, share, expected] of [
    ['on in its segment', shareOf(booleans.inside, true), 100],
    ['on outside its segment', shareOf(booleans.outside, true), percentage],
    ...Object.entries(weights).flatMap(
      ([key, weight]) =>
        [
          [`${key} in its segment`, shareOf(variants.inside, key), weight],
          [`${key} outside its segment`, shareOf(variants.outside, key), 0],
        ] as const,
    ),
  ] as const) {
    const allowed = expected === 0 || expected === 100 ? 0 : tolerance
    if (Math.abs(share - expected) > allowed) {
      throw new Error(`${contestant.name}: ${share.toFixed(1)} % are ${what}, not ${expected} %`)
    }
  }
}

/** Makes sure that two contestants with the same hash agree on every case. */
export function checkSameAnswers(a: Contestant, b: Contestant): void {
  const [expected, answers] = [a, b].map((contestant) =>
    Object.values(answersOf(contestant)).flat(),
  )
  const different = answers?.filter((answer, i) => answer !== expected?.[i]) ?? []
  if (different.length > 0) {
    throw new Error(`${a.name} and ${b.name} disagree on ${different.length} evaluations`)
  }
}

function answersOf(contestant: Contestant) {
  const booleans = noAnswers(false)
  const variants = noAnswers('')
  contestant.evaluateBooleans(booleans)
  contestant.evaluateVariants(variants)
  return { booleans, variants }
}

function divide<T>(questions: readonly Question[], answers: readonly T[]) {
  const isInside = questions.flatMap(({ entity, flags }) =>
    flags.map(({ segment }) => segment.includes(entity.attributes)),
  )
  return {
    inside: answers.filter((_, i) => isInside[i] === true),
    outside: answers.filter((_, i) => isInside[i] === false),
  }
}

function shareOf<T>(answers: readonly T[], answer: T): number {
  return (answers.filter((one) => one === answer).length / answers.length) * 100
}
