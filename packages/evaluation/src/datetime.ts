import { orderOperators, type Predicate } from './predicate.ts'

const shape = /^\d{4}-\d\d-\d\d(?:T\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d))?$/

/** The Gregorian calendar repeats after these. */
const cycle = { years: 400, days: 146_097 }
const secondsPerDay = 86_400
const zero = '0'.charCodeAt(0)

/**
 * Reads an RFC 3339 instant (`T` and `Z` upper-case, any offset, a fraction of any length, a one-digit
 * hour, no leap second) or a day, `YYYY-MM-DD`, which stands for its midnight in UTC.
 *
 * @returns seconds since 1970 in UTC, the fraction dropped; NaN for what is neither
 */
export function parseDatetime(text: string): number {
  if (!shape.test(text)) return Number.NaN
  const midnight = secondsOfDay(digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10))
  if (text.length === 10) return midnight
  const colon = text.indexOf(':')
  const minute = digits(text, colon + 1, colon + 3)
  const second = digits(text, colon + 4, colon + 6)
  return midnight + secondsOfClock(digits(text, 11, colon), minute, second) - secondsOfOffset(text)
}

export function datetimePredicate(operator: string, operand: string): Predicate | undefined {
  const holds = orderOperators.get(operator)
  const seconds = parseDatetime(operand)
  if (holds === undefined || Number.isNaN(seconds)) return undefined
  const fraction = fractionOf(operand)
  return (value) => {
    const difference = parseDatetime(value) - seconds
    return holds(difference === 0 ? compareFractions(fractionOf(value), fraction) : difference)
  }
}

/** The digits of an instant's fraction, closing zeros left out; empty when there is none. */
function fractionOf(text: string): string {
  const [, digits = ''] = /[.,](\d+)/.exec(text) ?? []
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

// Digits after the point are in the order of text, however many there are.
function compareFractions(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function secondsOfDay(year: number, month: number, day: number): number {
  if (month < 1 || month > 12 || day < 1) return Number.NaN
  // Years below 100 mean 1900 and later to Date.UTC.
  const midnight = Date.UTC(year + cycle.years, month - 1, day)
  const isInMonth = midnight < Date.UTC(year + cycle.years, month, 1)
  return isInMonth ? midnight / 1000 - cycle.days * secondsPerDay : Number.NaN
}

function secondsOfClock(hour: number, minute: number, second: number): number {
  if (hour > 23 || minute > 59 || second > 59) return Number.NaN
  return hour * 3600 + minute * 60 + second
}

function secondsOfOffset(text: string): number {
  if (text.endsWith('Z')) return 0
  const end = text.length
  const seconds = secondsOfClock(digits(text, end - 5, end - 3), digits(text, end - 2, end), 0)
  return text[end - 6] === '-' ? -seconds : seconds
}

// Not Number(text.slice(…)), which would make a text for every part of every value compared.
function digits(text: string, start: number, end: number): number {
  let number = 0
  for (let i = start; i < end; i++) number = number * 10 + text.charCodeAt(i) - zero
  return number
}
