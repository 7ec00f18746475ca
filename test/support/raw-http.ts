import { connect, type Socket } from 'node:net'
import type { Place } from './relay.ts'

export interface RawAnswer {
  /** 0 when the connection ended without an answer. */
  readonly status: number
  /** The body, or why there is none. */
  readonly text: string
}

/** Sends bytes as they are, and costs a tenth of what `fetch` does: under load it is not what is measured. */
export interface RawClient {
  /** @param request made by {@link requestBytes} */
  send(request: Buffer): Promise<RawAnswer>
  close(): void
}

/** Enough for requests not to wait for each other unless the server lets them wait. */
const usualConnections = 64

/** A stream of events has no end: this is how long its first ones may take to come. */
const firstEventsMs = 50

const timeoutMs = 20_000

interface Exchange {
  readonly request: Buffer
  resolve(answer: RawAnswer): void
}

export function openRawClient(
  port: number,
  connections = usualConnections,
  host = '127.0.0.1',
): RawClient {
  const waiting: Exchange[] = []
  const free: Connection[] = []
  const next = (connection: Connection) => {
    const exchange = waiting.shift()
    if (exchange === undefined) free.push(connection)
    else connection.start(exchange)
  }
  const all = Array.from({ length: connections }, () => new Connection({ host, port }, next))
  free.push(...all)
  return {
    send: (request) =>
      new Promise((resolve) => {
        // In turns, so that none is idle for so long that the server closes it.
        const connection = free.shift()
        if (connection === undefined) waiting.push({ request, resolve })
        else connection.start({ request, resolve })
      }),
    close() {
      for (const connection of all) connection.close()
    },
  }
}

/** @param path any bytes but a line break, one character a byte */
export function requestBytes(
  path: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
  method = 'POST',
): Buffer {
  const length = { host: '127.0.0.1', 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ ...length, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const head = `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)])
}

/** Carries one request at a time. */
class Connection {
  readonly #place: Place
  readonly #onFree: (connection: Connection) => void
  #socket: Socket | undefined
  #exchange: Exchange | undefined
  #received = ''

  constructor(place: Place, onFree: (connection: Connection) => void) {
    this.#place = place
    this.#onFree = onFree
  }

  start(exchange: Exchange): void {
    this.#exchange = exchange
    this.#socket ??= this.#connect()
    this.#socket.write(exchange.request)
  }

  close(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.destroy()
  }

  #connect(): Socket {
    const socket = connect({ ...this.#place, noDelay: true })
    let reason = 'the server closed the connection'
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no answer')))
    socket.setEncoding('latin1').on('data', (text: string) => this.#read(text))
    socket.on('error', ({ message }) => {
      reason = message
    })
    socket.on('close', () => {
      if (socket !== this.#socket) return
      this.#socket = undefined
      this.#end(reason)
    })
    return socket
  }

  #read(text: string): void {
    this.#received += text
    const { head, isWhole } = parse(this.#received)
    // Servers end a connection after so many requests.
    if (isWhole && /\r\nconnection: close/i.test(head)) this.close()
    if (isWhole) this.#end()
    else if (/\r\ncontent-type: text\/event-stream/i.test(head)) {
      const exchange = this.#exchange
      setTimeout(() => {
        if (exchange === undefined || exchange !== this.#exchange) return
        this.close()
        this.#end()
      }, firstEventsMs)
    }
  }

  /** @param reason why the answer is not whole */
  #end(reason?: string): void {
    const exchange = this.#exchange
    const { status, body } = parse(this.#received)
    this.#exchange = undefined
    this.#received = ''
    if (exchange === undefined) return
    const text = reason ?? Buffer.from(body, 'latin1').toString()
    exchange.resolve({ status: reason === undefined ? status : 0, text })
    this.#onFree(this)
  }
}

/** An answer with neither length nor chunks has no body. */
function parse(received: string) {
  const bodyAt = received.indexOf('\r\n\r\n') + 4
  const [head, body] = [received.slice(0, bodyAt), received.slice(bodyAt)]
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
  const isChunked = /\r\ntransfer-encoding: chunked/i.test(head)
  const isComplete = isChunked ? /(^|\r\n)0\r\n\r\n$/.test(body) : body.length >= length
  const status = Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
  return { head, body, status, isWhole: bodyAt >= 4 && isComplete }
}
