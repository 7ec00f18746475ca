import type { ChainKeys } from './chain-keys.ts'

/** A row of a chain, as it was read. */
export interface ChainRow {
  /** Grows from row to row. */
  readonly position: number
  readonly previousHash: Buffer
  /** Empty: the hash was made without a key. */
  readonly keyId: string
  readonly hash: Buffer
  /** All that the hash is of: it contains the id of the key and the hash before. */
  readonly text: string
}

/** The row after which a chain goes on. */
export type ChainPlace = Pick<ChainRow, 'position' | 'keyId' | 'hash'>

/** What proves the place after which a chain goes on, when the rows before it are not kept any more. */
export interface PlaceProof {
  readonly text: string
  readonly mac: Buffer
}

/** Rows whose hash proves nothing: the key is not known, or there was none while there is one now. */
export interface UnprovenRows {
  readonly keyId: string
  readonly first: number
  readonly last: number
  readonly count: number
}

export interface ChainCheckOptions {
  readonly keys: ChainKeys
  /** The last row before the first that is checked. */
  readonly start: ChainPlace
  /** Of the start. It is not needed at the very beginning, nor for a row that was checked before. */
  readonly proof?: PlaceProof | undefined
  /** What a position is called, for example `revision`. */
  readonly noun: string
}

/**
 * Checks the rows of a chain one after the other, each by its hash and by the row before it. The first
 * that does not fit is the break: what comes after it is not checked.
 */
export class ChainCheck {
  readonly #keys: ChainKeys
  readonly #noun: string
  readonly #unproven = new Map<string, UnprovenRows>()
  #last: ChainPlace
  #startIsUnkeyed = false
  #checked = 0
  #brokenAt: number | undefined
  #fault: string | undefined

  constructor({ keys, start, proof, noun }: ChainCheckOptions) {
    this.#keys = keys
    this.#noun = noun
    this.#last = start
    if (proof !== undefined) this.#checkStart(start, proof)
  }

  /** The last row that fits. */
  get last(): ChainPlace {
    return this.#last
  }

  /** How many rows fit. */
  get checked(): number {
    return this.#checked
  }

  /** The first position that does not fit; `undefined` as long as all do. */
  get brokenAt(): number | undefined {
    return this.#brokenAt
  }

  /**
   * The break in words; without one, the first thing that keeps the rows from being proven. `undefined`:
   * all is proven but for rows before there was a key.
   */
  get fault(): string | undefined {
    return this.#fault
  }

  get unproven(): readonly UnprovenRows[] {
    return [...this.#unproven.values()]
  }

  /** @returns whether it fits */
  add({ position, previousHash, keyId, hash, text }: ChainRow): boolean {
    if (this.#brokenAt !== undefined) return false
    if (position <= this.#last.position) throw new Error(`${position} is not in the order`)
    const mac = this.#keys.mac(text, keyId)
    if (mac?.equals(hash) === false) {
      return this.break(position, `${this.#noun} ${position} is not as it was written`)
    }
    if (!previousHash.equals(this.#last.hash)) {
      return this.break(position, `${this.#noun} ${position} does not follow ${this.#placeOfLast}`)
    }
    if (mac === undefined) this.#addUnproven(position, keyId, unknownKey(keyId))
    else if (keyId === '' && this.#keys.currentId !== '') this.#addUnkeyed(position)
    // Rows are not deleted sooner than those before them: so the key was known when it was made.
    if (this.#startIsUnkeyed && this.#checked === 0 && keyId !== '') {
      this.#fault ??= `the start of the log, ${this.#placeOfLast}, was written without a key`
    }
    this.#last = { position, keyId, hash }
    this.#checked += 1
    return true
  }

  /**
   * Records a break that is not in the hash of a row, such as a part that belongs to none. The first break
   * counts.
   */
  break(position: number, fault: string): false {
    if (this.#brokenAt === undefined) {
      this.#brokenAt = position
      this.#fault = fault
    }
    return false
  }

  #checkStart({ position, keyId }: ChainPlace, { text, mac }: PlaceProof): void {
    const expected = this.#keys.mac(text, keyId)
    this.#startIsUnkeyed = keyId === '' && this.#keys.currentId !== ''
    if (expected === undefined) this.#fault = unknownKey(keyId)
    else if (!expected.equals(mac)) {
      this.break(position, `the start of the log, ${this.#placeOfLast}, is not as it was written`)
    }
  }

  get #placeOfLast(): string {
    const { position } = this.#last
    return position === 0 ? 'the start of the log' : `${this.#noun} ${position}`
  }

  /** Rows from before there was a key are as they may be. After one with a key, none should lack it. */
  #addUnkeyed(position: number): void {
    const fault = `${this.#noun} ${position} was logged without a key, after one with a key`
    this.#addUnproven(position, '', this.#last.keyId === '' ? undefined : fault)
  }

  #addUnproven(position: number, keyId: string, fault: string | undefined): void {
    const { first = position, count = 0 } = this.#unproven.get(keyId) ?? {}
    this.#unproven.set(keyId, { keyId, first, last: position, count: count + 1 })
    this.#fault ??= fault
  }
}

/** Maximum length of a key's id in a message: one that the service has made is far shorter. */
const maxIdLength = 64

function unknownKey(keyId: string): string {
  return `unknown key ${keyId.slice(0, maxIdLength)}`
}
