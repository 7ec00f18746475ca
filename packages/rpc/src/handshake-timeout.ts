import type { Socket } from 'node:net'
import { ChannelCredentials } from '@grpc/grpc-js'

type SecureConnectorOf = ChannelCredentials['_createSecureConnector']

/**
 * Handshake timeout for a channel: destroys a connection on which the server sends nothing. A process
 * that is stopped accepts connections, and grpc-js waits for its settings without a limit.
 *
 * Overrides what grpc-js does not document. A test names the version for which that was checked.
 */
export class HandshakeTimeoutCredentials extends ChannelCredentials {
  readonly #inner: ChannelCredentials
  readonly #timeoutMs: number

  constructor(inner: ChannelCredentials, timeoutMs: number) {
    super()
    this.#inner = inner
    this.#timeoutMs = timeoutMs
  }

  override _isSecure(): boolean {
    return this.#inner._isSecure()
  }

  override _equals(other: ChannelCredentials): boolean {
    return other instanceof HandshakeTimeoutCredentials && this.#inner._equals(other.#inner)
  }

  override _createSecureConnector(
    ...args: Parameters<SecureConnectorOf>
  ): ReturnType<SecureConnectorOf> {
    const connector = this.#inner._createSecureConnector(...args)
    return {
      connect: (socket) => {
        destroyIfSilent(socket, this.#timeoutMs)
        return connector.connect(socket)
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
