import { AppError, splitHosts } from '@svc/runtime'
import type pg from 'pg'

/** Maximum wait for the answer whether a server takes writes. */
const answerTimeoutMs = 1500

/** A server that answers, but refuses writes: a standby, or a primary that is read-only. */
export class ReadOnlyServer extends Error {
  override readonly name = 'ReadOnlyServer'
}

/**
 * Of the errors of several hosts, the one for the operator: that a standby takes no writes is as it should be.
 *
 * @param kept of the hosts before, if any
 */
export function firstReason(kept: unknown, error: unknown): unknown {
  const cause = kept instanceof AppError ? kept.cause : kept
  return kept === undefined || cause instanceof ReadOnlyServer ? error : kept
}

/** The hosts that a URL lists, of which one at a time is the primary. */
export class Hosts {
  readonly #urls: readonly string[]
  /** Index of the one to try first: the one that was right last. */
  #first = 0

  /** @param url of one host, or of several as libpq lists them */
  constructor(url: string) {
    this.#urls = splitHosts(url)
  }

  get count(): number {
    return this.#urls.length
  }

  /** URL of the host to connect to. */
  get current(): string {
    return this.#urls[this.#first] ?? ''
  }

  /** Takes the next host, unless another caller has done so since it got this URL. */
  leave(url: string): void {
    if (url === this.current) this.#first = (this.#first + 1) % this.count
  }

  /**
   * Connects to one host after the other, each once, until one takes writes.
   *
   * @throws what `connect` threw for the first of them that is no standby, if there is one
   */
  async connect<T>(connect: (url: string) => Promise<T>): Promise<T> {
    let reason: unknown
    for (let left = this.count - 1; ; left -= 1) {
      const url = this.current
      try {
        return await connect(url)
      } catch (error) {
        this.leave(url)
        reason = firstReason(reason, error)
        if (left === 0) throw reason
      }
    }
  }

  /**
   * Of several hosts the one that takes writes is wanted. A single one is taken as it is: it may serve reads.
   *
   * @throws {ReadOnlyServer} when another host may be the primary
   */
  async expectPrimary(client: pg.ClientBase): Promise<void> {
    if (this.count > 1 && (await isReadOnly(client))) {
      throw new ReadOnlyServer('the server takes no writes')
    }
  }
}

/** Whether a session can only read: of a standby, or of a server that is set to it. */
export async function isReadOnly(client: pg.ClientBase): Promise<boolean> {
  // The driver's types lack `query_timeout`.
  const query: pg.QueryConfig & { readonly query_timeout: number } = {
    text: 'SHOW transaction_read_only',
    query_timeout: answerTimeoutMs,
  }
  const { rows } = await client.query(query)
  return rows[0].transaction_read_only === 'on'
}
