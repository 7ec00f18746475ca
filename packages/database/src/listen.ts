import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs, type Logger } from '@svc/runtime'
import pg from 'pg'
import { openConnection } from './connection.ts'

export interface ListenOptions {
  /** Ends the listening. */
  readonly signal: AbortSignal
  readonly log: Logger
  readonly onNotification: (payload: string) => void
  /**
   * Called after each connect, when the channel is being listened to: whatever happened before is
   * to be read now. When it fails, the connection is made anew.
   */
  readonly onConnect: () => void | Promise<void>
}

/**
 * Listens to a channel on a connection of its own until `signal` aborts, and then resolves; never
 * rejects. A connection that breaks, or a server that does not answer within a second and a half,
 * is replaced, after 50 ms to a second.
 */
export async function listen(url: string, channel: string, options: ListenOptions): Promise<void> {
  const { signal, log } = options
  let attempt = 0
  while (!signal.aborted) {
    const startedAt = performance.now()
    try {
      await listenOnce(url, channel, options)
    } catch (error) {
      if (signal.aborted) return
      log.warn({ channel, reason: String(error) }, 'lost the notifications; trying again')
    }
    // One that held for a while is not part of a series of failures.
    attempt = performance.now() - startedAt > pingIntervalMs ? 0 : attempt + 1
    await sleep(backoffMs(attempt), undefined, { signal }).catch(() => {})
  }
}

/** How soon a silent death is noticed, for the price of one round trip. */
const pingIntervalMs = 5000
/** A server that is alive answers within milliseconds, however busy. */
const pingTimeoutMs = 1500

/** Returns only by throwing: when the connection is lost or the signal aborts. */
async function listenOnce(
  url: string,
  channel: string,
  { signal, onNotification, onConnect }: ListenOptions,
): Promise<never> {
  const { client, close } = await openConnection(url, {
    application_name: `listen ${channel}`,
    query_timeout: pingTimeoutMs,
  })
  const lost = new AbortController()
  const ended = AbortSignal.any([signal, lost.signal])
  client.once('end', () => lost.abort(new Error('the server hung up')))
  try {
    client.on('notification', ({ payload = '' }) => onNotification(payload))
    await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
    await Promise.race([onConnect(), rejectOn(ended)])
    for (;;) {
      await sleep(pingIntervalMs, undefined, { signal: ended, ref: false })
      await client.query('SELECT 1')
    }
  } catch (error) {
    throw lost.signal.aborted ? lost.signal.reason : error
  } finally {
    await close()
  }
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
