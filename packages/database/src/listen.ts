import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs, type Logger } from '@svc/runtime'
import pg from 'pg'
import { openConnection } from './connection.ts'
import { isReadOnly } from './hosts.ts'

export interface ListenOptions {
  readonly signal: AbortSignal
  readonly log: Logger
  readonly onNotification: (payload: string) => void
  /**
   * Called after each connect, once the channel is listened to: read here what was missed. When it
   * fails, the connection is replaced.
   */
  readonly onConnect: () => void | Promise<void>
}

/**
 * Listens to a channel on a connection of its own until `signal` aborts, and then resolves; never
 * rejects. Replaces a connection that breaks, or whose server does not answer, after a backoff.
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
    // A connection that lasted ends the series of failures.
    attempt = performance.now() - startedAt > pingIntervalMs ? 0 : attempt + 1
    await sleep(backoffMs(attempt), undefined, { signal }).catch(() => {})
  }
}

/** Interval of pings, in milliseconds: a connection that was lost silently is noticed by then. */
const pingIntervalMs = 5000
/** Maximum wait for a ping, in milliseconds. */
const pingTimeoutMs = 1500

/** @throws always: when the connection is lost or the signal aborts */
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
    ended.throwIfAborted()
    await Promise.race([onConnect(), once(ended, 'abort')])
    const wasReadOnly = await isReadOnly(client)
    for (;;) {
      await sleep(pingIntervalMs, undefined, { signal: ended, ref: false })
      const hasChanged = (await isReadOnly(client)) !== wasReadOnly
      if (hasChanged) throw new Error('the server has become a standby, or the primary')
    }
  } catch (error) {
    throw lost.signal.aborted ? lost.signal.reason : error
  } finally {
    await close()
  }
}
