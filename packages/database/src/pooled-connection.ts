import type { PoolClient } from 'pg'
import { breaksConnection, translateError } from './errors.ts'

/** A connection borrowed from the pool, which remembers whether it may go back there. */
export class PooledConnection {
  readonly #client: PoolClient
  isBroken = false

  constructor(client: PoolClient) {
    this.#client = client
  }

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.#run(text, values)
    return rows
  }

  /** @returns the command that the server says it has completed, such as `COMMIT` */
  async execute(text: string): Promise<string> {
    const { command } = await this.#run(text, [])
    return command
  }

  async #run(text: string, values: readonly unknown[]) {
    try {
      return await this.#client.query(text, [...values])
    } catch (error) {
      if (breaksConnection(error)) this.isBroken = true
      throw translateError(error)
    }
  }
}
