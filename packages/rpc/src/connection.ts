import { type Client, connectivityState } from '@grpc/grpc-js'

/**
 * Maximum time of an attempt to connect, in milliseconds. In one data centre it takes a few; a longer
 * limit would make a gateway late with changes after a partition has healed.
 */
const connectTimeoutMs = 1000

/**
 * The client of a channel, with a timeout to connect. grpc-js has none: an attempt during a partition
 * lasts until TCP gives up, long after the partition. So without a connection in time, a second client
 * also tries, a new one each time, and the first that connects stays. The first client keeps trying, for
 * what is slow and not lost, such as DNS.
 */
export class Connection {
  readonly #open: () => Client
  /** The client of calls, and while it does not connect, another. */
  #clients: readonly [Client, ...Client[]]
  #isClosed = false

  /** @param open must not share connections between clients */
  constructor(open: () => Client) {
    this.#open = open
    this.#clients = [open()]
    void this.#supervise()
  }

  get client(): Client {
    return this.#clients[0]
  }

  close(): void {
    this.#isClosed = true
    for (const client of this.#clients) client.close()
  }

  async #supervise(): Promise<void> {
    for (;;) {
      const first = await firstReady(this.#clients)
      if (this.#isClosed) return
      const kept = first ?? this.client
      for (const client of this.#clients) if (client !== kept) client.close()
      this.#clients = first === undefined ? [kept, this.#open()] : [kept]
      if (first !== undefined) await whenLost(first)
      if (this.#isClosed) return
    }
  }
}

/** @returns `undefined` when none connects in time, or all are closed */
function firstReady(clients: readonly Client[]): Promise<Client | undefined> {
  const deadline = Date.now() + connectTimeoutMs
  const attempts = clients.map((client) => whenReady(client, deadline))
  return Promise.any(attempts).catch(() => undefined)
}

/** Instead of the client's `waitForReady`, which reconnects a client that was closed. */
function whenReady(client: Client, deadline: number): Promise<Client> {
  const { READY, SHUTDOWN } = connectivityState
  const channel = client.getChannel()
  channel.getConnectivityState(true)
  return new Promise((resolve, reject) => {
    const check = (error?: Error) => {
      const state = channel.getConnectivityState(false)
      if (state === READY) resolve(client)
      else if (state === SHUTDOWN || error !== undefined) reject(error)
      else channel.watchConnectivityState(state, deadline, check)
    }
    check()
  })
}

function whenLost(client: Client): Promise<void> {
  return new Promise((resolve) => {
    const { READY } = connectivityState
    const channel = client.getChannel()
    if (channel.getConnectivityState(false) !== READY) resolve()
    else channel.watchConnectivityState(READY, Number.POSITIVE_INFINITY, () => resolve())
  })
}
