import type { Test } from './listen.ts'
import { type Measured, startLoad } from './load.ts'
import { openRawClient, type RawAnswer, type RawClient, requestBytes } from './raw-http.ts'

/** Units of work at a constant rate, half of them on connections that are kept and half on new ones, without retries. */
export interface Traffic {
  /** Units so far that had another outcome than the right one. */
  readonly failed: number
  /** Their outcomes, in order. */
  readonly failures: readonly string[]
  /** Most units that have been under way at once. */
  readonly mostUnderWay: number
  /** Waits for what is under way. The one outcome is `right` when all is well. */
  stop(): Promise<Measured>
}

/** Sends a request on a connection of the kind that its unit uses. @param token @default that of the traffic */
export type Send = (
  method: string,
  path: string,
  body?: object,
  token?: string,
) => Promise<RawAnswer>

/** One or a few requests. @returns `right`, or what was wrong */
export type Unit = (send: Send) => Promise<string>

export interface TrafficOptions {
  /** @default 127.0.0.1 */
  readonly host?: string
  readonly port: number
  readonly token: string
  /** Units. */
  readonly perSecond: number
  /** What is done in turn, each once on a new connection and once on a kept one. */
  readonly units: readonly Unit[]
}

/** Starts it; it is stopped at the end of the test at the latest. */
export function startTraffic(
  t: Test,
  { host, port, token, perSecond, units }: TrafficOptions,
): Traffic {
  const clients = {
    kept: openRawClient(port, connections, host),
    new: openRawClient(port, connections, host),
  }
  const sends = { kept: sender(clients.kept, token), new: sender(clients.new, token, closing) }
  let count = 0
  const failures: string[] = []
  let underWay = 0
  let mostUnderWay = 0
  const load = startLoad(perSecond, async () => {
    const kind = count % 2 === 0 ? 'kept' : 'new'
    const unit = units[(count >> 1) % units.length]
    if (unit === undefined) throw new Error('there is nothing to do')
    count += 1
    underWay += 1
    mostUnderWay = Math.max(mostUnderWay, underWay)
    const outcome = await unit(sends[kind]).catch((error: unknown) => `threw ${String(error)}`)
    underWay -= 1
    if (outcome === right) return outcome
    failures.push(`${kind} ${outcome}`)
    return `${kind} ${outcome}`
  })
  let stopped: Promise<Measured> | undefined
  const stop = () => {
    stopped ??= load.stop().finally(() => {
      for (const client of Object.values(clients)) client.close()
    })
    return stopped
  }
  t.teardown(async () => {
    await stop()
  })
  return {
    get failed() {
      return failures.length
    },
    failures,
    get mostUnderWay() {
      return mostUnderWay
    },
    stop,
  }
}

/** The outcome of what went well. */
export const right = 'right'

/** Of each kind; more than are under way at once. */
const connections = 64

const closing = { connection: 'close' }

function sender(client: RawClient, token: string, headers: object = {}): Send {
  return (method, path, body, other = token) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const all = { authorization: `Bearer ${other}`, ...headers }
    return client.send(requestBytes(path, text, all, method))
  }
}
