import { CliError, exitCodes } from './exit-codes.ts'

/** What completion asks the server for. */
export type Completes = 'flags' | 'segments' | 'namespaces' | 'tokens' | 'files'

/** Something that a command is given by its place. */
export interface Argument<Value> {
  /** In help, such as `KEY`. */
  readonly label: string
  readonly text: string
  readonly isRequired: boolean
  readonly isVariadic: boolean
  readonly completes?: Completes | undefined
  /** @throws {CliError} that says what is expected */
  read(given: readonly string[]): Value
}

interface More {
  readonly completes?: Completes
}

/** Arguments, one function for each number of them. */
export const argument = {
  one(label: string, text: string, more: More = {}): Argument<string> {
    const parts = { label, text, isRequired: true, isVariadic: false, ...more }
    return { ...parts, read: ([value = '']) => filled(label, value) }
  },
  optional(label: string, text: string, more: More = {}): Argument<string | undefined> {
    const parts = { label, text, isRequired: false, isVariadic: false, ...more }
    return { ...parts, read: ([value]) => (value === undefined ? value : filled(label, value)) }
  },
  /** One or several. */
  many(label: string, text: string, more: More = {}): Argument<readonly string[]> {
    const parts = { label, text, isRequired: true, isVariadic: true, ...more }
    return { ...parts, read: (given) => given.map((value) => filled(label, value)) }
  },
  /** None, one or several. */
  any(label: string, text: string, more: More = {}): Argument<readonly string[]> {
    return { label, text, isRequired: false, isVariadic: true, ...more, read: (given) => given }
  },
}

/** An empty one is most likely a variable of a script that is not set. */
function filled(label: string, value: string): string {
  if (value !== '') return value
  throw new CliError(exitCodes.usage, `${label} is empty`)
}

/** Something that a command is given by name. */
export interface Option<Value> {
  /** As commander reads it, such as `-e, --entity ID`. The placeholder is in capitals. */
  readonly flags: string
  readonly text: string
  readonly takesValue: boolean
  readonly isRepeatable: boolean
  readonly isRequired: boolean
  readonly choices?: readonly string[] | undefined
  readonly completes?: Completes | undefined
  /** What it is when it is not given, for help. */
  readonly defaultText?: string | undefined
  /**
   * @param given each value of the option, `''` for one that takes none; empty when it was not given
   * @throws {CliError} that says what is expected
   */
  read(given: readonly string[]): Value
}

const single = { takesValue: true, isRepeatable: false, isRequired: false }

/** Options, one function for each kind of value. */
export const option = {
  /** Given or not. */
  flag(flags: string, text: string): Option<boolean> {
    return { ...single, flags, text, takesValue: false, read: (given) => given.length > 0 }
  },
  text(flags: string, text: string, more: More = {}): Option<string | undefined> {
    return { ...single, flags, text, ...more, read: (given) => given.at(-1) }
  },
  /** As `text`, where nothing means more than something: a token of no namespace is one for all. */
  filled(flags: string, text: string, more: More = {}): Option<string | undefined> {
    const read = (given: readonly string[]) => {
      const value = given.at(-1)
      return value === undefined ? value : filled(longName(flags), value)
    }
    return { ...single, flags, text, ...more, read }
  },
  required(flags: string, text: string, more: More = {}): Option<string> {
    return {
      ...single,
      isRequired: true,
      flags,
      text,
      ...more,
      read: (given) => given.at(-1) ?? '',
    }
  },
  /** May be repeated: all that were given, in order. */
  list(flags: string, text: string, more: More = {}): Option<readonly string[]> {
    return { ...single, isRepeatable: true, flags, text, ...more, read: (given) => given }
  },
  /** One of several words. */
  choice<const Word extends string>(
    flags: string,
    text: string,
    choices: readonly Word[],
  ): Option<Word | undefined> {
    return {
      ...single,
      flags,
      text,
      choices,
      read(given) {
        const word = given.at(-1)
        if (word === undefined) return undefined
        const choice = choices.find((choice) => choice === word)
        if (choice === undefined) throw wrongValue(flags, word, `one of ${choices.join(', ')}`)
        return choice
      },
    }
  },
  wholeNumber(
    flags: string,
    text: string,
    { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = {},
  ): Option<number | undefined> {
    return {
      ...single,
      flags,
      text,
      read(given) {
        const word = given.at(-1)
        if (word === undefined) return undefined
        const number = /^\d{1,16}$/.test(word) ? Number(word) : Number.NaN
        if (number >= minimum && number <= maximum) return number
        const range =
          maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum}` : `${minimum} to ${maximum}`
        throw wrongValue(flags, word, `a whole number, ${range}`)
      },
    }
  },
  /** A time such as `500ms`, `30s`, `5m`, `12h` or `90d`; its value is in milliseconds. */
  duration(
    flags: string,
    text: string,
    { minimumMs = 0, maximumMs = Number.MAX_SAFE_INTEGER } = {},
  ): Option<number | undefined> {
    return {
      ...single,
      flags,
      text,
      read(given) {
        const word = given.at(-1)
        if (word === undefined) return undefined
        const ms = readDuration(word)
        if (ms !== undefined && ms >= minimumMs && ms <= maximumMs) return ms
        const least = minimumMs > 0 ? `, at least ${minimumMs} ms` : ''
        throw wrongValue(flags, word, `a time such as 500ms, 30s, 5m, 12h or 90d${least}`)
      },
    }
  },
}

const msOf = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function readDuration(word: string): number | undefined {
  const [, digits, unit] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(word) ?? []
  if (digits === undefined || unit === undefined) return undefined
  return Number(digits) * (msOf[unit as keyof typeof msOf] ?? Number.NaN)
}

/** The longest name of an option, such as `--entity`. */
export function longName(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags
}

function wrongValue(flags: string, word: string, expected: string): CliError {
  return new CliError(
    exitCodes.usage,
    `${longName(flags)} takes ${expected}; it was given "${word}"`,
  )
}
