import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'

export interface DeafPostgres {
  /** The database's, but by this way. */
  readonly url: string
  /** How many notifications have been swallowed so far. */
  readonly swallowed: number
}

/** A way to a PostgreSQL on which notifications are lost and all else gets through. */
export async function startDeafPostgres(
  t: { teardown(work: () => Promise<void>): void },
  databaseUrl: string,
): Promise<DeafPostgres> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let swallowed = 0
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay()
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    near.pipe(far)
    far.pipe(withoutNotifications(() => (swallowed += 1))).pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  const url = new URL(target)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    get swallowed() {
      return swallowed
    },
  }
}

/** A byte that says what a message is, and four that say how long the rest is, themselves included. */
const headBytes = 5

const notificationResponse = 'A'.charCodeAt(0)

/** What the server sends, but for notifications. It is all messages, for nobody asks for TLS. */
function withoutNotifications(onNotification: () => void): Transform {
  let rest = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const bytes = Buffer.concat([rest, chunk])
      let start = 0
      while (bytes.length - start >= headBytes) {
        const end = start + 1 + bytes.readUInt32BE(start + 1)
        if (end > bytes.length) break
        if (bytes[start] === notificationResponse) onNotification()
        else this.push(bytes.subarray(start, end))
        start = end
      }
      rest = bytes.subarray(start)
      done()
    },
  })
}
