/** How soon to look again whether a namespace really is behind what the watcher holds of it. */
const retryMs = 1000

/** One who watches: what has happened that it has not been sent yet, each thing noted once. */
export class Watcher {
  readonly #touched: Set<string>
  readonly #confirm: (namespaceKey: string) => Promise<boolean>
  readonly #unsure = new Set<string>()
  readonly #sure = new Set<string>()
  #hasNews = false
  #wake: () => void = () => {}

  /**
   * @param namespaceKeys where something may have to be sent to begin with
   * @param confirm reads a namespace anew; whether that worked
   */
  constructor(
    namespaceKeys: Iterable<string>,
    confirm: (namespaceKey: string) => Promise<boolean>,
  ) {
    this.#touched = new Set(namespaceKeys)
    this.#confirm = confirm
  }

  /** Something has happened in a namespace. */
  touch(namespaceKey: string): void {
    this.#touched.add(namespaceKey)
    this.#wake()
  }

  /** The database is away or back. */
  tell(): void {
    this.#hasNews = true
    this.#wake()
  }

  /** @returns the namespaces that were touched since the last call */
  takeTouched(): string[] {
    const touched = [...this.#touched]
    this.#touched.clear()
    return touched
  }

  /** @returns whether it was told something since the last call */
  takeNews(): boolean {
    const hadNews = this.#hasNews
    this.#hasNews = false
    return hadNews
  }

  /** Whether something that it holds is still to be confirmed. */
  get isUnsure(): boolean {
    return this.#unsure.size > 0
  }

  /**
   * Whether a namespace was read anew since it was last asked for. If not, it is now, and touched
   * when that is done.
   */
  isSureOf(namespaceKey: string): boolean {
    if (this.#sure.delete(namespaceKey)) return true
    if (!this.#unsure.has(namespaceKey)) void this.#makeSure(namespaceKey)
    return false
  }

  async #makeSure(namespaceKey: string): Promise<void> {
    this.#unsure.add(namespaceKey)
    const isRead = await this.#confirm(namespaceKey)
    if (isRead) {
      this.#sure.add(namespaceKey)
      this.#again(namespaceKey)
    } else {
      setTimeout(() => this.#again(namespaceKey), retryMs).unref()
    }
  }

  #again(namespaceKey: string): void {
    this.#unsure.delete(namespaceKey)
    this.touch(namespaceKey)
  }

  /** Waits until it is touched or told something, but no longer than `waitMs`. */
  next(waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#touched.size > 0 || this.#hasNews || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', this.#wake)
        this.#wake = () => {}
        resolve()
      }
      const timer = setTimeout(this.#wake, waitMs)
      signal.addEventListener('abort', this.#wake)
    })
  }
}
