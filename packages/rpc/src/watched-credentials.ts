import { ChannelCredentials } from '@grpc/grpc-js'
import type { ConnectionEnds } from './connection-ends.ts'
import { destroyWhenSilent } from './silent-peer.ts'

type SecureConnectorOf = ChannelCredentials['_createSecureConnector']

/**
 * Credentials that see the sockets of a channel, which grpc-js does not show. They destroy a connection whose
 * server is silent, and note when a connection ends.
 *
 * Overrides what grpc-js does not document. A test names the version for which that was checked.
 */
export class WatchedCredentials extends ChannelCredentials {
  readonly #inner: ChannelCredentials
  readonly #ends: ConnectionEnds

  /** @param ends receives the end of every connection */
  constructor(inner: ChannelCredentials, ends: ConnectionEnds) {
    super()
    this.#inner = inner
    this.#ends = ends
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
        destroyWhenSilent(socket)
        const result = await connector.connect(socket)
        this.#ends.watch(result.socket)
        return result
      },
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => connector.destroy(),
    }
  }
}
