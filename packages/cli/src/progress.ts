import type { Terminal } from './terminal.ts'

/** How long something may take without a word: a shorter one would only flicker. */
const silentMs = 1000
/** How often the line is written at most. */
const intervalMs = 100

/** Says how far something is, on a line of the terminal that goes when it is done. */
export class Progress {
  readonly #stderr: Terminal['stderr']
  readonly #isShown: boolean
  readonly #afterMs: number

  /** @param afterMs after which something is shown */
  constructor({ stderr }: Terminal, isQuiet: boolean, afterMs = silentMs) {
    this.#stderr = stderr
    this.#afterMs = afterMs
    this.#isShown = stderr.isTTY === true && !isQuiet
  }

  /**
   * Runs `work`; what takes longer than a second is shown with `text` and what `work` says last, such as
   * `importing · 4,000 of 10,000 flags · 3 s`.
   */
  async show<Result>(
    text: string,
    work: (update: (state: string) => void) => Promise<Result>,
  ): Promise<Result> {
    if (!this.#isShown) return work(() => {})
    const startedAt = performance.now()
    let state = ''
    let written = false
    const timer = setInterval(() => {
      const elapsedMs = performance.now() - startedAt
      if (elapsedMs < this.#afterMs) return
      const line = [text, state, `${Math.floor(elapsedMs / 1000)} s`].filter((part) => part !== '')
      const width = (this.#stderr.columns ?? 80) - 1
      this.#stderr.write(`\r\u001b[K${line.join(' · ').slice(0, width)}`)
      written = true
    }, intervalMs)
    timer.unref()
    try {
      return await work((next) => {
        state = next
      })
    } finally {
      clearInterval(timer)
      if (written) this.#stderr.write('\r\u001b[K')
    }
  }
}
