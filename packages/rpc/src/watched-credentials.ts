import type { Socket } from 'node:net'
import { ChannelCredentials } from '@grpc/grpc-js'
import type { ConnectionEnds } from './connection-ends.ts'

type SecureConnectorOf = ChannelCredentials['_createSecureConnector']

export interface WatchOptions {
  /** Maximum time until the server sends something on a new connection, in milliseconds. */
  readonly handshakeTimeoutMs: number
  /** Receives the end of every connection. */
  readonly ends: ConnectionEnds
}

/**
 * Credentials that see the sockets of a channel, which grpc-js does not show. They destroy a connection on
 * which the server sends nothing: a process that is stopped accepts connections, and grpc-js waits for its
 * settings without a limit. And they note when a connection ends.
 *
 * Overrides what grpc-js does not document. A test names the version for which that was checked.
 */
export class WatchedCredentials extends ChannelCredentials {
  readonly #inner: ChannelCredentials
  readonly #options: WatchOptions

  constructor(inner: ChannelCredentials, options: WatchOptions) {
    super()
    this.#inner = inner
    this.#options = options
  }

  override _isSecure(): boolean {
    return this.#inner._isSecure()
  }

  override _equals(other: ChannelCredentials): boolean {
    return other instanceof WatchedCredentials && this.#inner._equals(other.#inner)
  }

  override _createSecureConnector(
    ...args: Parameters<SecureConnectorOf>
  ): ReturnType<SecureConnectorOf> {
    const connector = this.#inner._createSecureConnector(...args)
    return {
      connect: async (socket) => {
        destroyIfSilent(socket, this.#options.handshakeTimeoutMs)
        const result = await connector.connect(socket)
        this.#options.ends.watch(result.socket)
        return result
      },
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => connector.destroy(),
    }
  }
}

/** A server sends its settings first, before any request. */
function destroyIfSilent(socket: Socket, timeoutMs: number): void {
  const timer = setTimeout(() => {
    if (socket.bytesRead === 0) socket.destroy()
  }, timeoutMs)
  socket.once('close', () => clearTimeout(timer))
}
