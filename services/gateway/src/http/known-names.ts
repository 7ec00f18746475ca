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
   * @returns `undefined` for one that is to be learned
   */
  find(bytes: Buffer, start: number, end: number, hash: number): string | undefined {
    const known = this.#names[hash & (slots - 1)] ?? ''
    return isAt(bytes, start, end, known) ? known : undefined
  }

  /**
   * @param hash of the same bytes
   * @returns the name as it is to be used
   */
  learn(name: string, hash: number): string {
    if (name.length > maxLength) return name
    const [kept = name] = Object.keys({ [name]: true })
    this.#names[hash & (slots - 1)] = kept
    return kept
  }
}

function isAt(bytes: Buffer, start: number, end: number, name: string): boolean {
  if (name.length !== end - start) return false
  for (let i = 0; i < name.length; i++) if (name.charCodeAt(i) !== bytes[start + i]) return false
  return true
}
