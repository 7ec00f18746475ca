import { parseList } from './list.ts'
import { isPresent, orderOperators, type Predicate } from './predicate.ts'
import { isBlank } from './white-space.ts'

const zero = '0'.charCodeAt(0)

// No two neighbouring parts can match the same digit, so a long text cannot make it backtrack.
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/**
 * Reads a decimal number: `1`, `+1`, `-.5`, `5.`, `1e3`. What is too small to be told from 0 is 0.
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

/** @returns `undefined` for anything but a JSON array of numbers */
export function parseNumberList(text: string): ReadonlySet<number> | undefined {
  // JSON has no infinity, but a literal that is too large is read as one.
  return parseList(text, 0, (element): element is number => Number.isFinite(element))
}

export function numberPredicate(operator: string, operand: string): Predicate | undefined {
  if (operator === 'present') return isPresent
  if (operator === 'notpresent') return isBlank
  if (operator === 'isoneof' || operator === 'isnotoneof') return membership(operator, operand)
  const holds = orderOperators.get(operator)
  const number = parseNumber(operand)
  if (holds === undefined || Number.isNaN(number)) return undefined
  return (value) => holds(parseNumber(value) - number)
}

function membership(operator: 'isoneof' | 'isnotoneof', operand: string): Predicate | undefined {
  const list = parseNumberList(operand)
  if (list === undefined) return undefined
  // The list holds no NaN, so what is not a number is in none.
  if (operator === 'isoneof') return (value) => list.has(parseNumber(value))
  return (value) => {
    const number = parseNumber(value)
    return !Number.isNaN(number) && !list.has(number)
  }
}
