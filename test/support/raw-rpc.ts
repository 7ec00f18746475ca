import {
  type ChannelCredentials,
  Client,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js'

/** How a call ended: `OK` also when a stream had sent its first message. */
export interface RawEnd {
  readonly code: keyof typeof status
  readonly reason: string | undefined
}

/** Calls methods with any bytes and metadata, as any process that reaches the port can. */
export interface RawRpc {
  call(
    path: string,
    request?: Uint8Array,
    metadata?: Readonly<Record<string, string | Buffer>>,
  ): Promise<RawEnd>
  close(): void
}

export function openRawRpc(
  address: string,
  channel: ChannelCredentials = credentials.createInsecure(),
): RawRpc {
  const client = new Client(address, channel, { 'grpc.initial_reconnect_backoff_ms': 100 })
  return {
    call(path, request = Buffer.of(), metadata = {}) {
      const all = new Metadata()
      for (const [name, value] of Object.entries(metadata)) all.set(name, value)
      // A unary call is, for those who make it, a stream of one message.
      const call = client.makeServerStreamRequest(
        path,
        (bytes: Uint8Array) => Buffer.from(bytes),
        (bytes: Buffer) => bytes,
        request,
        all,
        { deadline: Date.now() + 10_000 },
      )
      return new Promise((resolve) => {
        call.once('data', () => {
          resolve({ code: 'OK', reason: undefined })
          // Streams alone: a server closes the connection of a client that resets many calls.
          const cancelling = setTimeout(() => call.cancel(), 1000).unref()
          call.once('end', () => clearTimeout(cancelling))
        })
        call.on('error', (error: ServiceError) => {
          const reason = error.metadata?.get('svc-reason')[0]
          resolve({ code: nameOf(error.code), reason: reason?.toString() })
        })
        call.once('end', () => resolve({ code: 'OK', reason: undefined }))
      })
    },
    close: () => client.close(),
  }
}

function nameOf(code: status): keyof typeof status {
  return status[code] as keyof typeof status
}
