import { ChannelCredentials } from '@grpc/grpc-js'
import { type ConnectionEnds, peerOf } from './connection-ends.ts'
import { destroyWhenSilent } from './silent-peer.ts'

type SecureConnectorOf = ChannelCredentials['_createSecureConnector']

export interface WatchOptions {
  /** Receives the end of every connection. */
  readonly ends: ConnectionEnds
  /** Called when a connection is destroyed for the silence of the peer. */
  readonly onSilent: (address: string) => void
}

/**
 * Credentials that see the sockets of a channel, which grpc-js does not show. They destroy a connection whose
 * server is silent, and note when a connection ends.
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
    const { ends, onSilent } = this.#options
    const connector = this.#inner._createSecureConnector(...args)
    return {
      connect: async (socket) => {
        const address = peerOf(socket)
        destroyWhenSilent(socket, () => onSilent(address))
        const result = await connector.connect(socket)
        ends.watch(result.socket)
        return result
      },
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => connector.destroy(),
    }
  }
}
