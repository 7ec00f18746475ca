import { connect } from 'node:net'
import { ofAnotherClient } from './clients.ts'

export interface RawAnswer {
  /** 0 when the connection was closed without an answer. */
  readonly status: number
  readonly text: string
}

/** A stream of events has no end: this is how long its first ones may take to come. */
const firstEventsMs = 50

/**
 * Sends a request exactly as it is spelled: no client in between tidies the path.
 *
 * @param target any bytes but a line break, one character a byte
 */
export function sendRaw(
  port: number,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Promise<RawAnswer> {
  const head = Object.entries({
    host: '127.0.0.1',
    connection: 'close',
    ...ofAnotherClient(),
    ...headers,
    ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer in 10 s')))
    socket.on('connect', () => {
      socket.write(Buffer.from(`${method} ${target} HTTP/1.1\r\n${head.join('')}\r\n`, 'latin1'))
      socket.write(body)
    })
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (chunks.length === 1 && /^content-type: text\/event-stream\r$/im.test(chunk.toString())) {
        setTimeout(() => socket.destroy(), firstEventsMs)
      }
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close before it has read all of a request that it refuses.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString()
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text })
    })
  })
}
