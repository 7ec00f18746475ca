import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { GatewayServiceDefinition } from '@svc/proto/resource/v1/gateways'
import type { RpcChannel, RpcClient } from '@svc/rpc'
import { type Logger, version } from '@svc/runtime'
import { Positions } from './positions.ts'
import type { Replica } from './replica.ts'

/** Minimum pause between two reports, in milliseconds: five a second at most. */
const minPauseMs = 200

/** Pause after a report that failed, in milliseconds. */
const retryMs = 1000

/** Maximum time without a report, in milliseconds: a gateway that is silent for a minute is forgotten. */
const idleMs = 10_000

/** Timeout of a report, in milliseconds. Writing one takes some. */
const timeoutMs = 1000

/**
 * Tells the resource service what this process has, so that it can say where a change is live. Nothing
 * depends on it: a report that fails is made again later.
 */
export class PositionReports {
  readonly id = newGatewayId(hostname())
  readonly #client: RpcClient<typeof GatewayServiceDefinition>
  readonly #replica: Replica
  readonly #log: Logger
  readonly #positions = new Positions()
  readonly #startedAt = performance.now()
  #count = 0
  #hasNews = true
  #wake: () => void = () => {}

  constructor(channel: RpcChannel, replica: Replica, log: Logger) {
    this.#client = channel.client(GatewayServiceDefinition)
    this.#replica = replica
    this.#log = log
    replica.onChange((change) => {
      this.#positions.note(change, replica.isLoaded)
      this.#hasNews = true
      this.#wake()
    })
  }

  /** Reports after changes and now and then, until `signal` aborts; a report under way is waited for. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Before everything is here, evaluation means nothing.
      const isFailing = this.#replica.isLoaded && !(await this.#report())
      await this.#pause(isFailing ? retryMs : minPauseMs, signal)
      if (!this.#hasNews) await this.#pause(idleMs - minPauseMs, signal, true)
    }
  }

  /** Says that this process evaluates nothing any more. Called after the last report. */
  async leave(): Promise<void> {
    if (this.#count === 0) return
    await this.#client
      .reportDeparture({ gatewayId: this.id }, { timeoutMs })
      .catch((error: unknown) => this.#log.debug({ err: error }, 'cannot report the departure'))
  }

  /** @returns whether it was received */
  async #report(): Promise<boolean> {
    this.#hasNews = false
    this.#count += 1
    const report = {
      gatewayId: this.id,
      version,
      number: this.#count,
      startedMsAgo: Math.round(performance.now() - this.#startedAt),
      dataAgeMs: Math.ceil(this.#replica.ageMs),
      positions: this.#positions.list(),
    }
    try {
      await this.#client.reportPosition(report, { timeoutMs })
      return true
    } catch (error) {
      this.#log.debug({ err: error }, 'cannot report the position')
      this.#hasNews = true
      return false
    }
  }

  /** @param endsWithNews whether a change ends it */
  #pause(ms: number, signal: AbortSignal, endsWithNews = false): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        this.#wake = () => {}
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal.addEventListener('abort', end)
      if (endsWithNews) this.#wake = end
    })
  }
}

/** @returns the name of the host, as far as it fits, and random digits: another id after each start */
export function newGatewayId(host: string): string {
  const name = host.replaceAll(/[^A-Za-z0-9.-]/g, '-').slice(0, 48)
  return `${name || 'gateway'}-${randomBytes(6).toString('hex')}`
}
