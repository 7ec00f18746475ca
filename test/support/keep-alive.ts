import { connect, type Socket } from 'node:net'
import type { RawAnswer } from './raw-http.ts'

/** A client for load: it costs a tenth of what `fetch` does, and must not be what is measured. */
export interface KeepAlive {
  /** @param request made by {@link requestBytes}; answers without a length are no part of the game */
  send(request: Buffer): Promise<RawAnswer>
  close(): void
}

/** Enough for requests not to wait for each other unless the server lets them wait. */
const usualConnections = 64

interface Exchange {
  readonly request: Buffer
  resolve(answer: RawAnswer): void
  reject(error: Error): void
}

export function openKeepAlive(port: number, connections = usualConnections): KeepAlive {
  const waiting: Exchange[] = []
  const free: Connection[] = []
  const next = (connection: Connection) => {
    const exchange = waiting.shift()
    if (exchange === undefined) free.push(connection)
    else connection.start(exchange)
  }
  const all = Array.from({ length: connections }, () => new Connection(port, next))
  free.push(...all)
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        const exchange = { request, resolve, reject }
        // In turns, so that none is idle for so long that the server closes it.
        const connection = free.shift()
        if (connection === undefined) waiting.push(exchange)
        else connection.start(exchange)
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
  readonly #port: number
  readonly #onFree: (connection: Connection) => void
  #socket: Socket | undefined
  #exchange: Exchange | undefined
  #received = ''

  constructor(port: number, onFree: (connection: Connection) => void) {
    this.#port = port
    this.#onFree = onFree
  }

  start(exchange: Exchange): void {
    this.#exchange = exchange
    this.#socket ??= this.#connect()
    this.#socket.write(exchange.request)
  }

  close(): void {
    this.#socket?.destroy()
  }

  #connect(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    socket.setEncoding('latin1').on('data', (text: string) => this.#read(text))
    socket.on('error', (error) => this.#end(error))
    socket.on('close', () => {
      if (socket === this.#socket) this.#end(new Error('the server closed the connection'))
    })
    return socket
  }

  #read(text: string): void {
    this.#received += text
    const bodyAt = this.#received.indexOf('\r\n\r\n') + 4
    const head = this.#received.slice(0, bodyAt)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
    if (bodyAt < 4 || this.#received.length < bodyAt + length) return
    const body = this.#received.slice(bodyAt)
    const status = Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
    // Servers end a connection after so many requests.
    if (/\r\nconnection: close/i.test(head)) this.#leave()
    const exchange = this.#take()
    exchange?.resolve({ status, text: Buffer.from(body, 'latin1').toString() })
  }

  #end(error: Error): void {
    this.#leave()
    this.#take()?.reject(error)
  }

  #leave(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  #take(): Exchange | undefined {
    const exchange = this.#exchange
    this.#exchange = undefined
    this.#received = ''
    if (exchange !== undefined) this.#onFree(this)
    return exchange
  }
}
