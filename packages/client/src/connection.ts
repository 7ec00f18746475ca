import { SvcError } from './api/error.ts'
import { Backoff, spread } from './backoff.ts'
import type { TokenSource } from './credential.ts'
import { reasonOf } from './http.ts'
import { maxTimeoutMs, unref } from './timers.ts'
import { Transfer } from './transfer.ts'

/** How flags come from the server. Both report what they confirm by themselves. */
export interface Feed {
  /** Opens the stream and reads it until it ends. */
  readStream(transfer: Transfer): Promise<void>
  /** Asks for what there is now. */
  poll(transfer: Transfer): Promise<void>
}

export interface ConnectionOptions {
  readonly feed: Feed
  readonly tokens: TokenSource
  /** Milliseconds since the server last confirmed what is here; `Infinity` before the first flags. */
  readonly ageMs: () => number
  /** Whether what is new is waited for. */
  readonly isAwaited: () => boolean
  /** Whether this is a page that is not seen now. */
  readonly isHidden?: () => boolean
  /** Called at each beat, about once a second. */
  readonly onBeat: () => void
  /** @param isRefusal whether trying again soon is of no use */
  readonly onFailure: (error: SvcError, isRefusal: boolean) => void
  readonly times?: Partial<ConnectionTimes>
}

export interface ConnectionTimes {
  /** Interval of the checks, in milliseconds. */
  readonly beatMs: number
  /** Silence after which a stream or an answer is given up: more than two heartbeats of the server. */
  readonly maxSilenceMs: number
  /** Interval of polls while no stream works. */
  readonly pollMs: number
  /** Silence of the first stream after which the flags are polled: a proxy may buffer it. */
  readonly firstPollMs: number
  /** Interval at which streams are tried that a proxy buffers, or of which there are too many. */
  readonly streamRetryMs: number
  /** Interval at which a refused credential or URL is tried again. */
  readonly refusedRetryMs: number
}

const usualTimes: ConnectionTimes = {
  beatMs: 1000,
  maxSilenceMs: 40_000,
  pollMs: 30_000,
  firstPollMs: 2000,
  streamRetryMs: 5 * 60_000,
  refusedRetryMs: 60_000,
}

/** Minimum life of a stream that worked, in milliseconds: retries of one that always ends soon get slower. */
const minStreamMs = 5000

/** Time in the background after which a page ends its stream, in milliseconds; OFREP's default. */
const maxHiddenMs = 120_000

/** Consecutive streams without a byte after which a proxy is taken to buffer them. */
const maxSilentStreams = 2

/** Keeps a stream open, whatever happens to it, and polls while there is none. */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #times: ConnectionTimes
  readonly #backoff = new Backoff()
  readonly #timer: ReturnType<typeof setInterval>
  #stream: Transfer | undefined
  #poll: Transfer | undefined
  #polledAt = Number.NEGATIVE_INFINITY
  #pollFailed = false
  #silentStreams = 0
  #isRefused = false
  #isClosed = false
  /** Whether the page has been hidden for so long that it needs no stream. */
  #isResting = false
  #seenAt = performance.now()
  /** When a stream last brought something, by `performance.now()`; at first, when this began. */
  #aliveAt = performance.now()
  #endPause = () => {}

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#times = { ...usualTimes, ...options.times }
    this.#timer = setInterval(() => this.#beat(), this.#times.beatMs)
    unref(this.#timer)
    void this.#follow()
  }

  /** Whether a stream brings what is new. */
  get isStreaming(): boolean {
    return this.#stream?.hasArrived === true
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#stream?.end()
    this.#poll?.end()
    this.#endPause()
  }

  /** Asks for what there is now, unless that is under way. */
  async poll(): Promise<void> {
    if (this.#poll !== undefined || this.#isClosed) return
    const transfer = new Transfer(this.#times.maxSilenceMs)
    this.#poll = transfer
    this.#polledAt = performance.now()
    try {
      await this.#options.feed.poll(transfer)
      // The server can be reached again, and a stream may work, too.
      if (this.#pollFailed) this.#retryStream()
      this.#pollFailed = false
    } catch {
      // The stream says what is wrong.
      this.#pollFailed = true
    } finally {
      transfer.end()
      this.#poll = undefined
    }
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      if (this.#isResting) {
        await this.#pause(maxTimeoutMs)
        continue
      }
      const transfer = new Transfer(this.#times.maxSilenceMs)
      const openedAt = performance.now()
      this.#stream = transfer
      this.#isRefused = false
      const failure = await this.#options.feed.readStream(transfer).then(
        () => undefined,
        (error: unknown) => toFailure(error, transfer),
      )
      transfer.end()
      this.#stream = undefined
      if (this.#isClosed) return
      if (this.#isResting) continue
      if (transfer.hasArrived) {
        if (performance.now() - openedAt >= minStreamMs) this.#backoff.reset()
        this.#silentStreams = 0
      } else if (transfer.isSilent) this.#silentStreams++
      await this.#pause(this.#pauseAfter(failure))
    }
  }

  /** @returns how long to wait until the next stream, in milliseconds */
  #pauseAfter(failure: SvcError | undefined): number {
    const { refusedRetryMs, streamRetryMs, pollMs } = this.#times
    this.#isRefused = failure !== undefined && isRefusal(failure)
    if (failure !== undefined) this.#options.onFailure(failure, this.#isRefused)
    if (this.#isRefused) return spread(refusedRetryMs, 0.1)
    const isLimited = failure?.status === 503 || failure?.status === 429
    if (isLimited && performance.now() - this.#polledAt >= pollMs) void this.poll()
    const waitMs = this.#backoff.next()
    const isHopeless = isLimited && this.#backoff.isLong
    return isHopeless || this.#silentStreams >= maxSilentStreams
      ? spread(streamRetryMs, 0.1)
      : waitMs
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      unref(timer)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #retryStream(): void {
    this.#backoff.reset()
    this.#silentStreams = 0
    this.#endPause()
  }

  #beat(): void {
    const { onBeat, ageMs, tokens, isAwaited } = this.#options
    onBeat()
    if (this.#isRefused) {
      void tokens.hasChanged().then((hasChanged) => {
        if (hasChanged && this.#isRefused) this.#endPause()
      })
      return
    }
    if (isAwaited() && !this.isStreaming) void this.poll()
    this.#rest()
    if (this.#isResting) return
    const { pollMs, firstPollMs } = this.#times
    const now = performance.now()
    const age = ageMs()
    // A stream that brings a large namespace is not silent, though nothing is confirmed yet.
    if (this.#stream?.hasArrived) this.#aliveAt = this.#stream.aliveAt
    const silence = Math.min(age, now - this.#aliveAt)
    const maxSilence = age === Infinity ? firstPollMs : pollMs
    if (silence >= maxSilence && now - this.#polledAt >= maxSilence) void this.poll()
  }

  /** Browsers have six connections for all pages of an origin: one that is not seen gives up its own. */
  #rest(): void {
    const wasResting = this.#isResting
    const now = performance.now()
    if (this.#options.isHidden?.() !== true) this.#seenAt = now
    this.#isResting = now - this.#seenAt >= maxHiddenMs
    if (this.#isResting) this.#stream?.end()
    else if (wasResting) this.#retryStream()
  }
}

/** Whether the same request would be refused again. */
function isRefusal({ status, code }: SvcError): boolean {
  const isRetryable = status === 408 || status === 429
  return (status >= 400 && status < 500 && !isRetryable) || code === 16
}

function toFailure(error: unknown, { isSilent }: Transfer): SvcError {
  if (isSilent) {
    return new SvcError('the server is silent, or a proxy buffers its events', {
      status: 0,
      code: 4,
    })
  }
  if (error instanceof SvcError) return error
  return new SvcError(`the connection was lost: ${reasonOf(error)}`, {
    status: 0,
    code: 14,
    cause: error,
  })
}
