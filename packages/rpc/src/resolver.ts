import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { type ChannelOptions, experimental, Metadata, status } from '@grpc/grpc-js'
import type { Departures } from './departures.ts'

/** DNS lookup of a channel. */
export interface Resolution {
  /** @returns the IP addresses that a name has now */
  readonly lookUp: (host: string) => Promise<readonly string[]>
  /** Period of lookups, in milliseconds. */
  readonly intervalMs: number
  /** Minimum time between lookups, in milliseconds: each lost connection requests one. */
  readonly minPauseMs: number
}

export const usualResolution: Resolution = {
  // By the system's files and name servers, as other programs do.
  lookUp: async (host) => (await dns.lookup(host, { all: true })).map(({ address }) => address),
  // Name servers of clusters give the same answer for 5 s.
  intervalMs: 5000,
  minPauseMs: 1000,
}

const scheme = 'replicas'
const resolverOption = 'svc.resolver'

interface ResolverOptions extends Resolution {
  readonly departures: Departures
}

interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Target and options of a grpc-js client that calls all replicas at an address. The resolver of grpc-js
 * looks a name up only when a connection is lost: it would not find replicas that are added.
 *
 * @param address `host:port`, `dns:///host:port`, or several as `ipv4:…,…` or `ipv6:…,…`
 */
export function toTarget(
  address: string,
  resolverOptions: ResolverOptions,
): { target: string; options: object } {
  const hosts = address.replace(/^(?:dns:(?:\/\/\/)?|ipv[46]:)/, '')
  const own = { ...resolverOptions, lookUp: oneAtATime(resolverOptions.lookUp) }
  return { target: `${scheme}:///${hosts}`, options: { [resolverOption]: own } }
}

/**
 * All clients of a channel share the lookup of a name that is in progress: it may block a thread of the process
 * for seconds, and while name servers do not answer, another client tries each second.
 */
function oneAtATime(lookUp: Resolution['lookUp']): Resolution['lookUp'] {
  const pending = new Map<string, ReturnType<typeof lookUp>>()
  return (host) => {
    const found = pending.get(host) ?? lookUp(host).finally(() => pending.delete(host))
    pending.set(host, found)
    return found
  }
}

/**
 * Reports the addresses of the replicas to a channel, and again whenever they change. The channel keeps
 * its connections to those that stay, connects to new ones, and sends no more calls to those that are
 * gone. Calls in progress there continue.
 */
class ReplicaResolver implements experimental.Resolver {
  readonly #options: ResolverOptions
  readonly #listener: experimental.ResolverListener
  readonly #targets: readonly Address[]
  readonly #hasName: boolean
  #known: readonly Address[] = []
  /** The addresses that were reported last, in order. */
  #reported = ''
  #timer: NodeJS.Timeout | undefined
  #lookedUpAt = Number.NEGATIVE_INFINITY
  /** The lookup in progress. */
  #current: symbol | undefined
  /** Looks up first: replicas may have come and gone since the last lookup. */
  readonly #onDeparture = () => void this.#lookUp()

  constructor(
    { path }: experimental.GrpcUri,
    listener: experimental.ResolverListener,
    options: ChannelOptions,
  ) {
    this.#options = options[resolverOption]
    this.#listener = listener
    this.#targets = path.split(',').flatMap((hostPort) => {
      const { host, port } = experimental.splitHostPort(hostPort) ?? {}
      return host === undefined || port === undefined ? [] : [{ host, port }]
    })
    this.#hasName = this.#targets.some(({ host }) => isIP(host) === 0)
  }

  /** The host that the servers' certificates have to name. */
  static getDefaultAuthority({ path }: experimental.GrpcUri): string {
    return path.split(',')[0] ?? path
  }

  updateResolution(): void {
    this.#options.departures.addListener(this.#onDeparture)
    this.#schedule(this.#lookedUpAt + this.#options.minPauseMs - performance.now())
  }

  destroy(): void {
    clearTimeout(this.#timer)
    this.#options.departures.removeListener(this.#onDeparture)
    this.#current = undefined
    this.#known = []
    this.#reported = ''
    this.#lookedUpAt = Number.NEGATIVE_INFINITY
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer)
    if (delayMs <= 0) void this.#lookUp()
    else this.#timer = setTimeout(() => void this.#lookUp(), delayMs).unref()
  }

  async #lookUp(): Promise<void> {
    if (this.#current !== undefined) return
    const current = Symbol()
    this.#current = current
    this.#lookedUpAt = performance.now()
    const found = await Promise.all(this.#targets.map((target) => this.#find(target))).catch(
      () => [],
    )
    if (this.#current !== current) return
    this.#current = undefined
    // The last known addresses stay when the name server fails or knows none.
    if (found.flat().length > 0) this.#known = found.flat()
    this.#report()
    const { intervalMs, minPauseMs } = this.#options
    if (this.#hasName) this.#schedule(this.#known.length > 0 ? intervalMs : minPauseMs)
  }

  async #find({ host, port }: Address): Promise<Address[]> {
    const hosts = isIP(host) === 0 ? await this.#options.lookUp(host) : [host]
    return hosts.map((one) => ({ host: one, port }))
  }

  /** Sorted: name servers change the order with each answer. */
  #report(): void {
    const { departures } = this.#options
    const all = new Map(
      this.#known.map((one) => [experimental.subchannelAddressToString(one), one]),
    )
    const staying = [...all].filter(([name]) => !departures.has(name))
    const usable = staying.length > 0 ? staying : [...all]
    const reported = usable
      .map(([name]) => name)
      .sort()
      .join()
    if (reported === this.#reported && reported !== '') return
    this.#reported = reported
    const endpoints = usable.map(([, address]) => ({ addresses: [address] }))
    const result = reported === '' ? this.#noAddress() : experimental.statusOrFromValue(endpoints)
    this.#listener(result, {}, null, '')
  }

  #noAddress(): experimental.StatusOr<experimental.Endpoint[]> {
    const details = `${this.#targets.map(({ host }) => host).join()} has no address`
    const metadata = new Metadata()
    return experimental.statusOrFromError({ code: status.UNAVAILABLE, details, metadata })
  }
}

experimental.registerResolver(scheme, ReplicaResolver)
