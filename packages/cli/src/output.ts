import { stripVTControlCharacters, styleText } from 'node:util'
import type { Terminal } from './terminal.ts'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** A column of a table in text. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => string
}

export interface OutputOptions {
  readonly isJson: boolean
  readonly isQuiet: boolean
}

/** Ends a command that only prints, when nothing reads it any more. */
export class ReaderGone extends Error {}

/**
 * What a command prints. Results go to stdout, as text or as JSON; all that is said about them goes to
 * stderr. A command says each result both ways, and this chooses.
 */
export class Output {
  readonly isJson: boolean
  readonly isQuiet: boolean
  readonly #terminal: Terminal
  readonly #colours: { readonly stdout: boolean; readonly stderr: boolean }

  constructor(terminal: Terminal, { isJson, isQuiet }: OutputOptions) {
    this.#terminal = terminal
    this.isJson = isJson
    this.isQuiet = isQuiet
    const { env, stdout, stderr } = terminal
    const mayColour = !env.NO_COLOR && env.TERM !== 'dumb'
    this.#colours = {
      stdout: mayColour && !isJson && stdout.isTTY === true,
      stderr: mayColour && stderr.isTTY === true,
    }
  }

  /** One value: as JSON, or as the text that `toText` makes of it. */
  value(value: unknown, toText: () => string): void {
    this.#print(this.isJson ? JSON.stringify(value) : toText())
  }

  /** What a write has done: as `value`, but its text is not printed with `--quiet`. */
  done(value: unknown, toText: () => string): void {
    if (this.isJson || !this.isQuiet) this.value(value, toText)
  }

  /**
   * A list: one line of JSON for each row, or a table.
   *
   * @param whenEmpty said on stderr when there is none: what to do, for example
   */
  rows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], whenEmpty: string): void {
    if (this.isJson) {
      for (const row of rows) this.#print(JSON.stringify(row))
    } else if (rows.length === 0) {
      this.note(whenEmpty)
    } else {
      this.#print(toTable(rows, columns, (title) => this.style('dim', title)))
    }
  }

  /**
   * A row of a list that goes on, as it comes.
   *
   * @throws {ReaderGone}
   */
  row(row: unknown, toText: () => string): void {
    this.#checkReader()
    this.value(row, toText)
  }

  /**
   * Text that is the result itself, such as an exported file.
   *
   * @throws {ReaderGone}
   */
  raw(text: string | Uint8Array): void {
    this.#checkReader()
    this.#terminal.stdout.write(text)
  }

  /** Something worth to know beside the result. Not said with `--quiet`. */
  note(text: string): void {
    if (!this.isQuiet) this.#say(text)
  }

  /** Something that may be wrong. */
  warn(text: string): void {
    this.#say(`${this.#paint('yellow', 'warning:', this.#colours.stderr)} ${text}`)
  }

  /** What is wrong; `hint` says what to do, on a line of its own. */
  error(text: string, hint?: string): void {
    this.#say(`${this.#paint('red', 'error:', this.#colours.stderr)} ${text}`)
    if (hint !== undefined) this.#say(hint)
  }

  /** An error as one line of JSON, on stderr. */
  errorValue(value: object): void {
    this.#say(JSON.stringify(value))
  }

  /** @returns the text in that style, on a terminal; elsewhere as it is */
  style(style: Style, text: string): string {
    return this.#paint(style, text, this.#colours.stdout)
  }

  #checkReader(): void {
    if (this.#terminal.isReaderGone?.() === true) throw new ReaderGone()
  }

  #paint(style: Style, text: string, isColoured: boolean): string {
    return isColoured ? styleText(style, text, { validateStream: false }) : text
  }

  #print(text: string): void {
    this.#terminal.stdout.write(`${this.isJson ? text : cleanText(text)}\n`)
  }

  #say(text: string): void {
    this.#terminal.stderr.write(`${cleanText(text)}\n`)
  }
}

const escapeCharacter = '\u001b'

/** The sequences of {@link Style}, and characters that steer a terminal or turn the direction of text. */
const steering = new RegExp(
  `(${escapeCharacter}\\[(?:1|2|22|3[1236]|39)m)|(?![\\n\\t])[\\p{Cc}\\p{Bidi_Control}]`,
  'gu',
)

/** Names and comments are written by others: what of them would steer the terminal is shown as `�`. */
function cleanText(text: string): string {
  return text.replace(steering, (_, style: string | undefined) => style ?? '�')
}

function toTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  paintTitle: (title: string) => string,
): string {
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row).replaceAll(/\s+/g, ' ')))
  const widths = columns.map(({ title }, index) =>
    cells.reduce((width, row) => Math.max(width, widthOf(row[index] ?? '')), title.length),
  )
  const pad = (text: string, index: number) =>
    index === columns.length - 1
      ? text
      : text + ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(text)))
  const titles = columns.map(({ title }, index) => paintTitle(pad(title, index)))
  return [titles, ...cells.map((row) => row.map(pad))]
    .map((row) => row.join('  ').trimEnd())
    .join('\n')
}

/** Columns of a terminal: East Asian text and emoji are not told apart. */
function widthOf(text: string): number {
  return [...stripVTControlCharacters(text)].length
}
