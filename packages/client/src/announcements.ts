import { spread } from './backoff.ts'
import { Transfer } from './transfer.ts'

/** Longest wait after an event, in milliseconds: all pages get it at once. */
const maxSpreadMs = 1000

/** Time that answers may take, in milliseconds. The stream's heartbeats say nothing of them. */
const maxAskMs = 10_000

export interface AnnouncementsOptions {
  /** Asks for answers of at least this revision. */
  readonly ask: (revision: number, transfer: Transfer) => Promise<unknown>
  /** The revision of the answers that are shown. */
  readonly shown: () => number | undefined
  /** Whether a revision is waited for, so that answers are asked for at once. */
  readonly isAwaited: () => boolean
  /** What is shown is what the server has. */
  readonly confirm: () => void
  /** Answers could not be had. */
  readonly onFailure: () => void
}

/**
 * What one stream says that there is, and the requests that follow from it, one at a time. Nothing is confirmed
 * while what is shown is of another revision than the stream gave last.
 */
export class Announcements {
  readonly #options: AnnouncementsOptions
  #revision: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #asking: Transfer | undefined
  /** Whether there was another reason to ask since the request began. */
  #isOvertaken = false
  #isEnded = false

  constructor(options: AnnouncementsOptions) {
    this.#options = options
  }

  /** The stream gives a revision, whether it is news or not. */
  announce(revision: number): void {
    // The stream was opened just now, as those of other pages were not.
    const isFirst = this.#revision === undefined
    this.#revision = revision
    this.#check(isFirst || this.#options.isAwaited() ? 0 : spread(maxSpreadMs / 2, 1))
  }

  /** The stream is alive. */
  beat(): void {
    if (this.#revision !== undefined) this.#check()
  }

  /** Answers have come that were asked for elsewhere. */
  settle(): void {
    if (this.#revision === undefined) this.#options.confirm()
    else this.#check()
  }

  /** The stream is over: the next one says what is still to be asked for. */
  end(): void {
    this.#isEnded = true
    clearTimeout(this.#timer)
    this.#asking?.end()
  }

  get #isShown(): boolean {
    return this.#options.shown() === this.#revision
  }

  #check(waitMs = spread(maxSpreadMs / 2, 1)): void {
    if (this.#isShown) this.#options.confirm()
    else if (this.#asking !== undefined) this.#isOvertaken = true
    else this.#timer ??= setTimeout(() => void this.#ask(), waitMs)
  }

  async #ask(): Promise<void> {
    this.#timer = undefined
    // A poll may have brought it meanwhile.
    if (this.#revision === undefined || this.#isShown) return
    const transfer = new Transfer(maxAskMs)
    this.#asking = transfer
    this.#isOvertaken = false
    const hasCome = await this.#options.ask(this.#revision, transfer).then(
      () => true,
      () => false,
    )
    transfer.end()
    this.#asking = undefined
    if (this.#isEnded) return
    if (!hasCome) this.#options.onFailure()
    // Otherwise the next heartbeat looks again.
    else if (this.#isShown || this.#isOvertaken) this.#check()
  }
}
