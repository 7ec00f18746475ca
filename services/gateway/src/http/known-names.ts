/** A power of two. Requests to the hot routes have a dozen names, and those that applications chose. */
const slots = 512

/** Longer names are not kept. */
const maxLength = 64

/**
 * Names of members that came before, as JavaScript keeps them. A text that was only just read has to be
 * looked up among all names of the process before an object can have a member of that name, which takes
 * longer than to compare it with one that is at hand.
 */
export class KnownNames {
  /** Each in the slot of its hash, until another one comes there. */
  readonly #names = new Array<string>(slots).fill('')

  /**
   * The name that these bytes are, one character each.
   *
   * @param hash any number that depends on nothing but the bytes
   * @param text says the same
   */
  find(bytes: Buffer, start: number, end: number, hash: number, text: string): string {
    const slot = hash & (slots - 1)
    const known = this.#names[slot] ?? ''
    if (isAt(bytes, start, end, known)) return known
    const name = text.slice(start, end)
    if (name.length > maxLength) return name
    const [kept = name] = Object.keys({ [name]: true })
    this.#names[slot] = kept
    return kept
  }
}

function isAt(bytes: Buffer, start: number, end: number, name: string): boolean {
  if (name.length !== end - start) return false
  for (let i = 0; i < name.length; i++) if (name.charCodeAt(i) !== bytes[start + i]) return false
  return true
}
