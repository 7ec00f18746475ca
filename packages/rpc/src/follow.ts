import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs, type Logger } from '@svc/runtime'
import type { CallOptions } from './definition.ts'

export interface Stream<T> {
  /** What it carries, for messages: `changes`. */
  readonly name: string
  /** A stream that says nothing for this long is broken, whatever TCP reports. */
  readonly silenceMs: number
  /** Opens it, resuming where it stopped. */
  open(options: CallOptions): AsyncIterable<T>
  /**
   * May throw when a message cannot be: the stream is then opened anew. The next message is not read
   * before it is done with this one.
   */
  accept(message: T): void | Promise<void>
  /** Called when it has broken off or ended. */
  lost?(): void
}

/** The last failure in a row after which the pause grows, so it ends at half a second. */
const maxAttempt = 3

/** Reads a stream until `signal` aborts, coming back after every break. An outage is logged once. */
export async function follow<T>(
  stream: Stream<T>,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  let isUnavailable = false
  for (let attempt = 0; !signal.aborted; attempt++) {
    const silence = new AbortController()
    const watchdog = setTimeout(() => silence.abort(), stream.silenceMs)
    const options = {
      signal: AbortSignal.any([signal, silence.signal]),
      // The first failure is logged; later attempts wait for a connection.
      waitsForConnection: isUnavailable,
    }
    try {
      for await (const message of stream.open(options)) {
        watchdog.refresh()
        await stream.accept(message)
        if (isUnavailable) log.info(`following ${stream.name} again`)
        isUnavailable = false
        attempt = 0
      }
    } catch (error) {
      if (!isUnavailable && !signal.aborted) {
        log.warn({ reason: String(error) }, `cannot follow ${stream.name}; trying again`)
      }
      isUnavailable = true
    } finally {
      clearTimeout(watchdog)
      stream.lost?.()
    }
    const pauseMs = backoffMs(Math.min(attempt, maxAttempt))
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {})
  }
}
