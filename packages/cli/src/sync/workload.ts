import { readFile } from 'node:fs/promises'
import { createApi } from '@svc/client/api'
import { CliError, exitCodes } from '../exit-codes.ts'

/** The part of a token's life after which it is exchanged again. */
const renewedAfter = 0.8

/** The token of a workload in a cluster: that of its service account, exchanged for one of the service. */
export class WorkloadToken {
  readonly #url: string
  readonly #file: string
  #token: Promise<string> | undefined
  #renewAt = 0

  /** @param file that the cluster keeps current: it is read at each exchange */
  constructor(url: string, file: string) {
    this.#url = url
    this.#file = file
  }

  /** One that lasts for some time yet. Exchanges are not made twice at once. */
  get(): Promise<string> {
    if (this.#token !== undefined && performance.now() < this.#renewAt) return this.#token
    // Until it is known how long it lasts, all wait for the same one.
    this.#renewAt = Number.POSITIVE_INFINITY
    const token = this.#exchange()
    this.#token = token
    token.catch(() => this.forget())
    return token
  }

  /** The next one is a new one: this one was refused. */
  forget(): void {
    this.#token = undefined
  }

  async #exchange(): Promise<string> {
    const serviceAccountToken = await this.#read()
    const api = createApi({ url: this.#url })
    const { clientToken, authentication } = await api.orchestrator.exchangeServiceAccountToken({
      serviceAccountToken,
    })
    const { createdAt, expiresAt } = authentication
    // Both by the clock of the service: the one here may be ahead of it.
    const lifeMs =
      expiresAt === undefined
        ? Number.POSITIVE_INFINITY
        : Date.parse(expiresAt) - Date.parse(createdAt)
    this.#renewAt = performance.now() + renewedAfter * lifeMs
    return clientToken
  }

  async #read(): Promise<string> {
    try {
      const token = (await readFile(this.#file, 'utf8')).trim()
      if (token !== '') return token
    } catch (error) {
      const { message } = error as Error
      throw new CliError(
        exitCodes.usage,
        `the token of the service account cannot be read: ${message}`,
      )
    }
    throw new CliError(exitCodes.usage, `${this.#file} is empty, and should hold a token`)
  }
}
