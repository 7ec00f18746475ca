import { Transform } from 'node:stream'
import { startRelay } from './relay.ts'

export interface SilentPostgres {
  /** The database's, but by this way. */
  readonly url: string
  /** How many notifications have been swallowed so far. */
  readonly swallowed: number
}

/** A way to a PostgreSQL on which notifications are lost and all else gets through. */
export async function startSilentPostgres(
  t: { teardown(work: () => Promise<void>): void },
  databaseUrl: string,
): Promise<SilentPostgres> {
  const url = new URL(databaseUrl)
  let swallowed = 0
  const target = { host: url.hostname, port: Number(url.port) }
  const port = await startRelay(t, target, (far) =>
    far.pipe(withoutNotifications(() => (swallowed += 1))),
  )
  url.port = String(port)
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

/** What the server sends, but for notifications. It is all messages, since TLS is not asked for. */
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
