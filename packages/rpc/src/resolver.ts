import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { type ChannelOptions, experimental, Metadata, status } from '@grpc/grpc-js'
import type { Departures } from './departures.ts'

/** How the names of a channel become addresses. */
export interface Resolution {
  /** @returns the IP addresses that a name has now */
  readonly lookUp: (host: string) => Promise<readonly string[]>
  /** Period of lookups, in milliseconds. */
  readonly intervalMs: number
  /** Minimum time between lookups, in milliseconds: each connection that is lost asks for one. */
  readonly minPauseMs: number
}

export const usualResolution: Resolution = {
  // As other programs do, by the files and name servers of the system.
  lookUp: async (host) => (await dns.lookup(host, { all: true })).map(({ address }) => address),
  // Name servers of clusters give the same answer for 5 s.
  intervalMs: 5000,
  minPauseMs: 1000,
}

const scheme = 'replicas'
const partsOption = 'svc.resolver'

interface Parts extends Resolution {
  readonly departures: Departures
}

interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Target and options by which a client of grpc-js calls all replicas that there are at an address. The
 * resolver of grpc-js looks a name up when a connection is lost, and otherwise never again: replicas that
 * are added would not be found.
 *
 * @param address `host:port`, `dns:///host:port`, or several as `ipv4:…,…` or `ipv6:…,…`
 */
export function toTarget(address: string, parts: Parts): { target: string; options: object } {
  const hosts = address.replace(/^(?:dns:(?:\/\/\/)?|ipv[46]:)/, '')
  return { target: `${scheme}:///${hosts}`, options: { [partsOption]: parts } }
}

/**
 * Tells a channel the addresses of its replicas, and again whenever they are others. The channel keeps
 * its connections to those that stay, opens some to those that are new, and gives no more calls to those
 * that are gone; what is under way there goes on.
 */
class ReplicaResolver implements experimental.Resolver {
  readonly #parts: Parts
  readonly #listener: experimental.ResolverListener
  readonly #places: readonly Address[]
  readonly #hasName: boolean
  #known: readonly Address[] = []
  /** What the channel was told last, in order and as one text. */
  #told = ''
  #timer: NodeJS.Timeout | undefined
  #lookedUpAt = Number.NEGATIVE_INFINITY
  /** The lookup under way: one at a time, for each may block a thread of the process for seconds. */
  #current: symbol | undefined
  /** Looks first: of the others, one may have ended and another one begun since the last lookup. */
  readonly #onDeparture = () => void this.#lookUp()

  constructor(
    { path }: experimental.GrpcUri,
    listener: experimental.ResolverListener,
    options: ChannelOptions,
  ) {
    this.#parts = options[partsOption]
    this.#listener = listener
    this.#places = path.split(',').flatMap((hostPort) => {
      const { host, port } = experimental.splitHostPort(hostPort) ?? {}
      return host === undefined || port === undefined ? [] : [{ host, port }]
    })
    this.#hasName = this.#places.some(({ host }) => isIP(host) === 0)
  }

  /** Which host the certificates of the servers have to name. */
  static getDefaultAuthority({ path }: experimental.GrpcUri): string {
    return path.split(',')[0] ?? path
  }

  updateResolution(): void {
    this.#parts.departures.addListener(this.#onDeparture)
    this.#schedule(this.#lookedUpAt + this.#parts.minPauseMs - performance.now())
  }

  destroy(): void {
    clearTimeout(this.#timer)
    this.#parts.departures.removeListener(this.#onDeparture)
    this.#current = undefined
    this.#known = []
    this.#told = ''
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
    const found = await Promise.all(this.#places.map((place) => this.#find(place))).catch(() => [])
    if (this.#current !== current) return
    this.#current = undefined
    // A name server that fails, or knows of none, says nothing about those that were there.
    if (found.flat().length > 0) this.#known = found.flat()
    this.#tell()
    const { intervalMs, minPauseMs } = this.#parts
    if (this.#hasName) this.#schedule(this.#known.length > 0 ? intervalMs : minPauseMs)
  }

  async #find({ host, port }: Address): Promise<Address[]> {
    const hosts = isIP(host) === 0 ? await this.#parts.lookUp(host) : [host]
    return hosts.map((one) => ({ host: one, port }))
  }

  /** Name servers change the order with each answer: it says nothing. */
  #tell(): void {
    const { departures } = this.#parts
    const all = new Map(
      this.#known.map((one) => [experimental.subchannelAddressToString(one), one]),
    )
    const staying = [...all].filter(([name]) => !departures.has(name))
    const usable = staying.length > 0 ? staying : [...all]
    const told = usable
      .map(([name]) => name)
      .sort()
      .join()
    if (told === this.#told && told !== '') return
    this.#told = told
    const endpoints = usable.map(([, address]) => ({ addresses: [address] }))
    const result = told === '' ? this.#noAddress() : experimental.statusOrFromValue(endpoints)
    this.#listener(result, {}, null, '')
  }

  #noAddress(): experimental.StatusOr<experimental.Endpoint[]> {
    const details = `${this.#places.map(({ host }) => host).join()} has no address`
    const metadata = new Metadata()
    return experimental.statusOrFromError({ code: status.UNAVAILABLE, details, metadata })
  }
}

experimental.registerResolver(scheme, ReplicaResolver)
