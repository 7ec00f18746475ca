import type { JsonValue } from './api/call.ts'

/** Maximum characters of attachments that are kept as values. */
const maxKeptLength = 16 * 2 ** 20

/** Attachments as the values that they are, each read once. */
export class Attachments {
  readonly #values = new Map<string, JsonValue>()
  #length = 0

  /**
   * @param text JSON; empty when there is none
   * @returns the value, frozen
   * @throws {SyntaxError} for a text that is no JSON
   */
  read(text: string): JsonValue | undefined {
    if (text === '') return undefined
    const known = this.#values.get(text)
    if (known !== undefined) return known
    const value = freeze(JSON.parse(text))
    if (this.#length + text.length > maxKeptLength) {
      this.#values.clear()
      this.#length = 0
    }
    if (text.length <= maxKeptLength) {
      this.#values.set(text, value)
      this.#length += text.length
    }
    return value
  }
}

function freeze(value: JsonValue): JsonValue {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) freeze(member)
    Object.freeze(value)
  }
  return value
}
