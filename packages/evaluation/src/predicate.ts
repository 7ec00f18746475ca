import { isBlank } from './white-space.ts'

/** Whether a context value satisfies a constraint whose own value was read beforehand. */
export type Predicate = (value: string) => boolean

export const isPresent: Predicate = (value) => !isBlank(value)

/** What the operators of order say of `value - operand`. NaN, for what cannot be compared, is none. */
export const orderOperators: ReadonlyMap<string, (difference: number) => boolean> = new Map([
  ['eq', (difference: number) => difference === 0],
  ['neq', (difference: number) => difference < 0 || difference > 0],
  ['lt', (difference: number) => difference < 0],
  ['lte', (difference: number) => difference <= 0],
  ['gt', (difference: number) => difference > 0],
  ['gte', (difference: number) => difference >= 0],
])
