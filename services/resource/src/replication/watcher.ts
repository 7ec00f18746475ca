/** Delay of a retry after a read that should confirm an earlier revision failed. */
const retryMs = 1000

/** A client of the stream: which namespaces have changes that it has not been sent yet. */
export class Watcher {
  readonly #changed: Set<string>
  readonly #confirm: (namespaceKey: string) => Promise<boolean>
  readonly #unconfirmed = new Set<string>()
  readonly #confirmed = new Set<string>()
  #hasStatusChange = false
  #wake: () => void = () => {}

  /**
   * @param namespaceKeys of which something may have to be sent at first
   * @param confirm reads a namespace again; resolves to whether it could be read
   */
  constructor(
    namespaceKeys: Iterable<string>,
    confirm: (namespaceKey: string) => Promise<boolean>,
  ) {
    this.#changed = new Set(namespaceKeys)
    this.#confirm = confirm
  }

  /** A namespace has changed. */
  markChanged(namespaceKey: string): void {
    this.#changed.add(namespaceKey)
    this.#wake()
  }

  /** The database has become unavailable, or available again. */
  notifyStatus(): void {
    this.#hasStatusChange = true
    this.#wake()
  }

  /** @returns the namespaces that changed since the last call */
  takeChanged(): string[] {
    const changed = [...this.#changed]
    this.#changed.clear()
    return changed
  }

  /** @returns whether the status changed since the last call */
  takeStatusChange(): boolean {
    const hadChange = this.#hasStatusChange
    this.#hasStatusChange = false
    return hadChange
  }

  /** Whether the watcher is ahead of what this process has read, and that is not confirmed yet. */
  get isUnconfirmed(): boolean {
    return this.#unconfirmed.size > 0
  }

  /**
   * Whether a namespace was read again since the last call. If not, it is read now, and touched when
   * that is done.
   */
  isConfirmed(namespaceKey: string): boolean {
    if (this.#confirmed.delete(namespaceKey)) return true
    if (!this.#unconfirmed.has(namespaceKey)) void this.#confirmAnew(namespaceKey)
    return false
  }

  async #confirmAnew(namespaceKey: string): Promise<void> {
    this.#unconfirmed.add(namespaceKey)
    const isRead = await this.#confirm(namespaceKey)
    if (isRead) {
      this.#confirmed.add(namespaceKey)
      this.#retry(namespaceKey)
    } else {
      setTimeout(() => this.#retry(namespaceKey), retryMs).unref()
    }
  }

  #retry(namespaceKey: string): void {
    this.#unconfirmed.delete(namespaceKey)
    this.markChanged(namespaceKey)
  }

  /** Waits for a change of a namespace or of the status, for `waitMs` at most. */
  next(waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#changed.size > 0 || this.#hasStatusChange || signal.aborted) return Promise.resolve()
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
