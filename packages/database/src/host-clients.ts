import pg from 'pg'
import type { Hosts } from './hosts.ts'

/**
 * Makes the clients of a pool, of which each connects to one host: the one that is right when it is made, which
 * may be later than the pool was asked for a connection. A host is left when its client cannot connect.
 */
export class HostClients {
  readonly #hosts: Hosts
  readonly #urlOf = new WeakMap<pg.ClientBase, string>()
  /** For the driver's pool. */
  readonly Client: typeof pg.Client

  /** @param configOf for the URL of a host */
  constructor(hosts: Hosts, configOf: (url: string) => pg.ClientConfig) {
    this.#hosts = hosts
    const note = (client: pg.Client, url: string) => this.#urlOf.set(client, url)
    const leave = (client: pg.Client) => this.leave(client)
    /** Why a client cannot connect. */
    const unusable = new WeakMap<pg.Client, Error>()
    this.Client = class extends pg.Client {
      // biome-ignore lint/correctness/noUnreachableSuper: when the first one has thrown, there is no client yet
      constructor(config?: pg.ClientConfig) {
        const url = hosts.current
        try {
          super({ ...configOf(url), ...config })
        } catch (error) {
          // A file of the URL cannot be read. Thrown here, it would end the process where the driver makes a client in a
          // callback of its own.
          super()
          unusable.set(this, error instanceof Error ? error : new Error(String(error)))
        }
        note(this, url)
      }

      override connect(): Promise<pg.Client>
      override connect(callback: (error: Error | null) => void): void
      override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | undefined {
        if (callback === undefined) return super.connect()
        const reason = unusable.get(this)
        if (reason !== undefined) {
          leave(this)
          process.nextTick(callback, reason)
          return undefined
        }
        super.connect((error: Error | null) => {
          if (error) leave(this)
          callback(error)
        })
        return undefined
      }
    }
  }

  /** Takes the next host, unless that of the client was left before. */
  leave(client: pg.ClientBase): void {
    const url = this.#urlOf.get(client)
    if (url !== undefined) this.#hosts.leave(url)
  }

  /** @throws {ReadOnlyServer} as {@link Hosts.expectPrimary}; the host is left then */
  async expectPrimary(client: pg.ClientBase): Promise<void> {
    try {
      await this.#hosts.expectPrimary(client)
    } catch (error) {
      this.leave(client)
      throw error
    }
  }
}
