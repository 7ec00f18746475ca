import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A relay in front of a gRPC server, which counts the calls that pass. */
export interface CallCounter {
  readonly calls: number
  /** Takes no more connections; those that are open go on. */
  close(): void
}

interface Place {
  readonly host: string
  readonly port: number
}

/** What a client says first (RFC 9113, section 3.4). */
const prefaceBytes = 24
const frameHeadBytes = 9
const headersFrame = 1

export async function startCallCounter(
  t: { teardown(work: () => Promise<void>): void },
  near: Place,
  far: Place,
): Promise<CallCounter> {
  let calls = 0
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const upstream = connect({ ...far, noDelay: true, allowHalfOpen: true })
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => sockets.delete(socket))
      socket.pipe(other)
    }
    const count = countHeaders(() => calls++)
    client.on('data', count)
  })
  server.listen({ ...near, backlog: 256 })
  await once(server, 'listening')
  const close = () => {
    if (server.listening) server.close()
  }
  t.teardown(async () => {
    close()
    for (const socket of sockets) socket.destroy()
  })
  return {
    get calls() {
      return calls
    },
    close,
  }
}

/** Reads what a client sends: a call begins with a frame of headers. */
function countHeaders(onCall: () => void): (chunk: Buffer) => void {
  let toSkip = prefaceBytes
  let head = Buffer.of()
  return (chunk) => {
    let at = 0
    while (at < chunk.length) {
      const skipped = Math.min(toSkip, chunk.length - at)
      toSkip -= skipped
      at += skipped
      if (at === chunk.length) return
      const part = chunk.subarray(at, at + frameHeadBytes - head.length)
      head = Buffer.concat([head, part])
      at += part.length
      if (head.length < frameHeadBytes) return
      if (head[3] === headersFrame) onCall()
      toSkip = head.readUIntBE(0, 3)
      head = Buffer.of()
    }
  }
}
