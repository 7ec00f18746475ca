import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** Questions to the person at the terminal. Where there is none, each is an error that says what to give. */
export class Prompts {
  readonly #terminal: Terminal

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  /** Whether there is a person to ask. */
  get canAsk(): boolean {
    return this.#terminal.stdin.isTTY === true && this.#terminal.stderr.isTTY === true
  }

  /**
   * Asks for a secret, which is not shown.
   *
   * @param instead what to do where there is no terminal, as a sentence
   */
  async secret(question: string, instead: string): Promise<string> {
    return (await this.#ask(question, instead, true)).trim()
  }

  /** Asks for a line, which is shown as it is typed. */
  async line(question: string, instead: string): Promise<string> {
    return (await this.#ask(question, instead, false)).trim()
  }

  /** @returns whether the answer is `y` or `yes` */
  async confirm(question: string, instead: string): Promise<boolean> {
    return /^y(es)?$/i.test((await this.#ask(`${question} [y/N] `, instead, false)).trim())
  }

  async #ask(question: string, instead: string, isHidden: boolean): Promise<string> {
    const { stdin, stderr, signal } = this.#terminal
    if (!this.canAsk) {
      throw new CliError(exitCodes.usage, 'there is no terminal to ask at', instead)
    }
    // readline writes what is typed to its output: for a secret there is none.
    const output = isHidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr
    const lines = createInterface({ input: stdin, output, terminal: true })
    const ended = new Promise<never>((_, reject) => {
      // The terminal is in raw mode: Ctrl-C arrives as a character, and is to end this process as ever.
      lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
      lines.once('close', () =>
        reject(new CliError(exitCodes.usage, 'no answer was given', instead)),
      )
    })
    try {
      if (isHidden) stderr.write(question)
      return await Promise.race([lines.question(isHidden ? '' : question, { signal }), ended])
    } finally {
      lines.close()
      if (isHidden) stderr.write('\n')
    }
  }
}
