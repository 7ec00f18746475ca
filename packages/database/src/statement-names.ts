/** Maximum names of a process: each connection holds a plan for each. This code has some hundred. */
const maxNames = 500

/** Names of prepared statements: a connection parses a text once and runs it by its name after that. */
export class StatementNames {
  readonly #names = new Map<string, string>()
  #count = 0

  /** @returns nothing for texts beyond the maximum, which are parsed each time */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= maxNames) return known
    const name = `svc${this.#count}`
    this.#count += 1
    this.#names.set(text, name)
    return name
  }

  /** Gives new names to all texts, so that every connection prepares them anew. */
  renew(): void {
    this.#names.clear()
  }
}
