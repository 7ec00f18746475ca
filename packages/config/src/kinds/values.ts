import { RE2JS } from 're2js'
import { z } from 'zod'

// Every kind reads text as well as its own type: environment variables are always text. No message
// repeats the value: a value in the wrong place may be a password.
//
// `input` of each is the JSON Schema of what it takes in a file. It may accept more than the kind, and
// refuses nothing that the kind accepts but unusual spellings, such as TrUe. Its patterns are of RE2.

/** Longest duration in milliseconds: a hundred years, which stays within every date we compute. */
const longestMs = 876_000 * 3_600_000

/** What each unit is worth in milliseconds, from the largest to the smallest. */
const units = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 1e-3, ns: 1e-6 } as const

/** Each unit at most once, the larger before the smaller, and none without a number. */
const durationPattern = new RegExp(
  `^(?=.)${Object.keys(units)
    .map((unit) => `(?:(\\d{1,15}(?:\\.\\d{1,9})?)${unit})?`)
    .join('')}$`,
)

const durationShape = `^\\s*(\\d+(\\.\\d+)?(${Object.keys(units).join('|')}|µs))+\\s*$`

export function bool(fallback: boolean) {
  const words = z
    .string()
    .trim()
    .pipe(z.stringbool({ truthy: ['true'], falsy: ['false'] }))
  return z
    .union([z.boolean(), words], { error: 'must be true or false' })
    .meta({ input: { enum: [true, false, 'true', 'false'] } })
    .prefault(fallback)
}

export function whole(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`
  const digits = '^\\s*\\d+\\s*$'
  return z
    .preprocess(
      (value) =>
        typeof value === 'string' && new RegExp(digits).test(value) ? Number(value) : value,
      z.int({ error }).min(min, { error }).max(max, { error }),
    )
    .meta({
      input: { type: ['integer', 'string'], minimum: min, maximum: max, pattern: digits },
    })
}

/** In whole milliseconds, more than 0 unless `atLeastMs` is 0. */
export function duration(atMostMs = longestMs, atLeastMs = 1) {
  const demand = 'must be a duration such as 500ms, 30m or 1h30m'
  const least = atLeastMs === 0 ? '0s or more' : 'more than 0'
  return z
    .string({
      error: ({ input }) =>
        typeof input === 'number' ? `${demand}, for a plain number lacks its unit` : demand,
    })
    .transform((text) => parseDuration(text.trim()))
    .pipe(z.number({ error: demand }).transform(Math.round))
    .refine((ms) => ms >= atLeastMs && ms <= atMostMs, {
      error: `must be ${least} and at most ${Math.floor(atMostMs / 3_600_000)}h`,
    })
    .meta({ input: { type: 'string', pattern: durationShape } })
}

/**
 * Parses a duration of Go: `1h30m`, `500ms`, `1.5h`. No sign, and no number without a unit: `30`
 * would be a guess.
 *
 * @returns milliseconds, possibly a fraction of one; `undefined` when it is not a duration
 */
export function parseDuration(text: string): number | undefined {
  const counts = durationPattern.exec(text.replace('µ', 'u'))?.slice(1)
  const worth = Object.values(units)
  return counts?.reduce((sum, count, i) => sum + Number(count ?? 0) * (worth[i] ?? 0), 0)
}

export function oneOf<const T extends readonly string[]>(...names: T) {
  const error = `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
  const spellings = [...names, ...names.map((name) => name.toUpperCase())]
  return z
    .string({ error })
    .trim()
    .toLowerCase()
    .pipe(z.enum(names, { error }))
    .meta({ input: { enum: [...new Set(spellings)] } })
}

/**
 * @param demand what the text must be, as it follows `must be`
 * @param shape a pattern of RE2 that every such text matches
 */
export function text(demand: string, isValid: (text: string) => boolean, shape?: string) {
  return z
    .string({ error: ({ input }) => mustBe(demand, input) })
    .refine(isValid, { error: `must be ${demand}` })
    .meta({ input: { type: 'string', ...(shape !== undefined && { pattern: shape }) } })
}

/** Text of one line, not empty. */
export function line(demand: string, maxLength = 255) {
  return text(
    demand,
    (value) => value.length > 0 && value.length <= maxLength && !/[\0\r\n]/.test(value),
    '^[^\\x00\\r\\n]+$',
  )
}

/** @returns the demand, with advice when YAML took text for a number or a boolean */
export function mustBe(demand: string, input: unknown): string {
  return `must be ${demand}${isQuotable(input) ? ', in quotes' : ''}`
}

function isQuotable(input: unknown): boolean {
  return typeof input === 'number' || typeof input === 'boolean'
}

/** Takes a list, or text with spaces or commas between the items. */
export function listOf<T extends string>(item: z.ZodType<T>, fallback: readonly string[] = []) {
  return z
    .preprocess(
      (value) => (typeof value === 'string' ? value.split(/[\s,]+/).filter(Boolean) : value),
      z.array(item, { error: 'must be a list' }),
    )
    .meta({ input: { type: ['array', 'string'], items: item.meta()?.input } })
    .prefault(fallback)
}

/** A setting without a default. Documents show the example, as an operator would write it. */
export function optional<T extends z.ZodType>(kind: T, example: string) {
  return kind.optional().meta({ example })
}

export function path() {
  const isPath = (value: string) => value !== '' && !value.includes('\0')
  return text('the path of a file', isPath, '^[^\\x00]+$')
}

/** An instant of ISO 8601 with its offset. */
export function instant() {
  const isInstant = (value: string) => z.iso.datetime({ offset: true }).safeParse(value).success
  const shape = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d'
  return text('a time such as 2026-01-31T12:00:00Z', isInstant, shape)
}

/** A regular expression of RE2, which takes linear time for every input. */
export function pattern() {
  return text('a regular expression of RE2', (value) => {
    try {
      return value.length <= 1000 && RE2JS.compile(value) !== undefined
    } catch {
      return false
    }
  })
}

/** Texts by name. */
export function textMap(maxEntries: number, maxBytes: number) {
  const demand = 'must hold "key: text" lines'
  const value = z.string({
    error: ({ input }) => (isQuotable(input) ? `${demand}, with the texts in quotes` : demand),
  })
  return mapOf(value, demand, maxEntries, maxBytes, { type: 'string' })
}

/** Lists of texts by name. */
export function textLists(maxEntries: number, maxBytes: number) {
  const demand = 'must hold "key: [text, text]" lines'
  const value = listOf(z.string({ error: demand }).min(1))
  return mapOf(value, demand, maxEntries, maxBytes, { type: ['array', 'string'] })
}

/** The names are those of metadata, which are stored as they stand. */
function mapOf<T extends z.ZodType>(
  value: T,
  demand: string,
  maxEntries: number,
  maxBytes: number,
  input: object,
) {
  return z
    .record(z.string(), value, { error: demand })
    .refine((map) => Object.keys(map).every((key) => /^[a-z0-9][a-z0-9._/-]*$/.test(key)), {
      error: 'must have keys of letters, digits or any of . _ / -',
    })
    .refine(
      (map) => {
        const texts = Object.entries(map).flat(2).join('')
        const isSmall = Buffer.byteLength(texts) <= maxBytes && !texts.includes('\0')
        return isSmall && Object.keys(map).length <= maxEntries
      },
      { error: `must have at most ${maxEntries} entries and ${maxBytes} bytes, none of them 0` },
    )
    .prefault({})
    .meta({
      map: true,
      input: { type: 'object', maxProperties: maxEntries, additionalProperties: input },
    })
}

/** Maximum number of sections of one kind, such as OpenID providers. */
const maxSections = 64

/** Sections by names that the operator chooses. */
export function namedSections<T extends z.ZodObject>(section: T) {
  return z
    .record(z.string().regex(/^[a-z0-9_-]{1,64}$/), section)
    .refine((sections) => Object.keys(sections).length <= maxSections, {
      error: `has more than ${maxSections} sections`,
    })
    .prefault({})
    .meta({ section })
}
