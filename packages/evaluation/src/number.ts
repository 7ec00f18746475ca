import { type ElementType, listPredicate } from './list.ts'
import { orderOperators, type Predicate } from './predicate.ts'

const zero = '0'.charCodeAt(0)

// No two adjacent parts can match the same digit, so a long text cannot make it backtrack.
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/**
 * Reads a decimal number: `1`, `+1`, `-.5`, `5.`, `1e3`. What is too small underflows to 0.
 *
 * White space, NaN, infinities and what overflows to one are not numbers. Nor are digit separators
 * (`1_000`) and hexadecimal (`0x1p-2`): the contract leaves both open, and in the evaluation vectors
 * a context value with a separator never matches.
 *
 * @returns NaN for what is not a number
 */
export function parseNumber(text: string): number {
  const whole = parseDigits(text)
  if (whole !== undefined) return whole
  if (!decimal.test(text)) return Number.NaN
  const number = Number(text)
  return Number.isFinite(number) ? number : Number.NaN
}

/** As many digits as every double has: more might be rounded. */
const exactDigits = 15

// Most numbers are a few digits, which take a fraction of the time in this way.
function parseDigits(text: string): number | undefined {
  if (text === '' || text.length > exactDigits) return undefined
  let number = 0
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - zero
    if (digit < 0 || digit > 9) return undefined
    number = number * 10 + digit
  }
  return number
}

const numbers: ElementType<number> = {
  zero: 0,
  // JSON has no infinity, but a literal that is too large is read as one.
  isElement: (element): element is number => Number.isFinite(element),
  read(value) {
    const number = parseNumber(value)
    return Number.isNaN(number) ? undefined : number
  },
}

export function numberPredicate(operator: string, operand: string): Predicate | undefined {
  const holds = orderOperators.get(operator)
  if (holds === undefined) return listPredicate(operator, operand, numbers)
  const number = parseNumber(operand)
  return Number.isNaN(number) ? undefined : (value) => holds(parseNumber(value) - number)
}
