import { RE2JS } from 're2js'
import { z } from 'zod'
import { parseDuration } from './duration.ts'

// Every kind reads text as well as its own type: environment variables are always text. No message
// repeats the value: a value in the wrong place may be a password.

/** Longest duration in milliseconds: a hundred years, which stays within every date we compute. */
const longestMs = 876_000 * 3_600_000

export function bool(fallback: boolean) {
  const words = new Map([
    ['true', true],
    ['false', false],
  ])
  return z
    .preprocess(
      (value) =>
        typeof value === 'string' ? (words.get(value.trim().toLowerCase()) ?? value) : value,
      z.boolean({ error: 'must be true or false' }),
    )
    .prefault(fallback)
}

export function whole(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`
  return z.preprocess(
    (value) => (typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value),
    z.int({ error }).min(min, { error }).max(max, { error }),
  )
}

/** In whole milliseconds, more than 0 unless `atLeastMs` is 0. */
export function duration(atMostMs = longestMs, atLeastMs = 1) {
  const demand = 'must be a duration such as 500ms, 30m or 1h30m'
  return z
    .string({
      error: ({ input }) =>
        typeof input === 'number' ? `${demand}, for a plain number lacks its unit` : demand,
    })
    .transform((text, context) => {
      const parsed = parseDuration(text.trim())
      const rounded = Math.round(parsed ?? 0)
      if (parsed !== undefined && rounded >= atLeastMs && rounded <= atMostMs) return rounded
      const least = atLeastMs === 0 ? '0s or more' : 'more than 0'
      const limit = `must be ${least} and at most ${Math.floor(atMostMs / 3_600_000)}h`
      context.addIssue({ code: 'custom', message: parsed === undefined ? demand : limit })
      return z.NEVER
    })
}

export function oneOf<const T extends readonly string[]>(...names: T) {
  const error = `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
  return z.string({ error }).trim().toLowerCase().pipe(z.enum(names, { error }))
}

/** @param demand what the text must be, as it goes on from `must be` */
export function text(demand: string, isValid: (text: string) => boolean) {
  return z
    .string({ error: ({ input }) => mustBe(demand, input) })
    .refine(isValid, { error: `must be ${demand}` })
}

/** Text of one line, not empty. */
export function line(demand: string, maxLength = 255) {
  return text(
    demand,
    (value) => value.length > 0 && value.length <= maxLength && !/[\0\r\n]/.test(value),
  )
}

/** @returns the demand, with advice when YAML took text for a number or a boolean */
export function mustBe(demand: string, input: unknown): string {
  return `must be ${demand}${isQuotable(input) ? ', in quotes' : ''}`
}

/** Whether YAML took it for another type than text, which quotes prevent. */
export function isQuotable(input: unknown): boolean {
  return typeof input === 'number' || typeof input === 'boolean'
}

/** Takes a list, or text with spaces or commas between the items. */
export function listOf<T extends string>(item: z.ZodType<T>, fallback: readonly string[] = []) {
  return z
    .preprocess(
      (value) => (typeof value === 'string' ? value.split(/[\s,]+/).filter(Boolean) : value),
      z.array(item, { error: 'must be a list' }),
    )
    .prefault(fallback)
}

/** A setting without a default. Documents show the example, as an operator would write it. */
export function optional<T extends z.ZodType>(kind: T, example: string) {
  return kind.optional().meta({ example })
}

export function path() {
  return text('the path of a file', (value) => value !== '' && !value.includes('\0'))
}

/** An instant of ISO 8601 with its offset. */
export function instant() {
  return text(
    'a time such as 2026-01-31T12:00:00Z',
    (value) => z.iso.datetime({ offset: true }).safeParse(value).success,
  )
}

/** A regular expression of RE2, which takes linear time for every input. */
export function pattern() {
  return text('a regular expression of RE2', isPattern)
}

function isPattern(text: string): boolean {
  try {
    return text.length <= 1000 && RE2JS.compile(text) !== undefined
  } catch {
    return false
  }
}
