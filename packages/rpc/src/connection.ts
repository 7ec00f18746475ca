import type { Socket } from 'node:net'
import { ChannelCredentials, type Client, connectivityState } from '@grpc/grpc-js'

/**
 * How long an attempt to connect may take, in milliseconds. Where the services are together it takes
 * a few; with more than this, a gateway would be late with changes after a partition has healed.
 */
const attemptMs = 1000

/**
 * The client of a channel, which is never stuck. grpc-js leaves an attempt to connect as long as TCP
 * does, and one that was made while packets were lost sits there long after they pass again. So when
 * there has been no connection for a while, a second client tries too, a new one each time, and
 * whichever connects stays. The first keeps its time, for what is slow and not lost: names, say.
 */
export class Connection {
  readonly #open: () => Client
  /** The one to call by, and while that does not connect, another. */
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

/** @returns `undefined` when none of them has connected in time, or all are closed */
function firstReady(clients: readonly Client[]): Promise<Client | undefined> {
  const deadline = Date.now() + attemptMs
  const attempts = clients.map((client) => whenReady(client, deadline))
  return Promise.any(attempts).catch(() => undefined)
}

/** Not by the client's `waitForReady`, which begins to connect anew when the client is closed. */
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

type SecureConnectorOf = ChannelCredentials['_createSecureConnector']

/**
 * A peer that takes the connection and then says nothing is left after a while: a process that has
 * been stopped, or one whose answers are lost. grpc-js would wait for it for ever.
 */
export class ImpatientCredentials extends ChannelCredentials {
  readonly #patient: ChannelCredentials

  constructor(patient: ChannelCredentials) {
    super()
    this.#patient = patient
  }

  override _isSecure(): boolean {
    return this.#patient._isSecure()
  }

  override _equals(other: ChannelCredentials): boolean {
    return other instanceof ImpatientCredentials && this.#patient._equals(other.#patient)
  }

  override _createSecureConnector(
    ...args: Parameters<SecureConnectorOf>
  ): ReturnType<SecureConnectorOf> {
    const connector = this.#patient._createSecureConnector(...args)
    return {
      connect(socket) {
        leaveWhenSilent(socket)
        return connector.connect(socket)
      },
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => connector.destroy(),
    }
  }
}

/** The first that a server sends is its settings, before it is asked for anything. */
function leaveWhenSilent(socket: Socket): void {
  const timer = setTimeout(() => {
    if (socket.bytesRead === 0) socket.destroy()
  }, attemptMs)
  socket.once('close', () => clearTimeout(timer))
}
