import { connect, type Socket } from 'node:net'

/** What a server answered: a status of 200, or else the measurement fails. */
export interface Answer {
  /** Made only for those who ask: most answers are counted, and not looked at. */
  text(): string
}

const headEnd = Buffer.from('\r\n\r\n')

/**
 * A keep-alive connection that carries one request at a time, as lean as it can be: the client must
 * not be what is measured. Requests are bytes made beforehand, and of an answer only the status and
 * the length are read.
 */
export class Connection {
  readonly #port: number
  readonly #onAnswer: (connection: Connection, answer: Answer) => void
  readonly #onFailure: (error: Error) => void
  #socket: Socket
  /** The beginning of an answer that has not arrived whole. */
  #pending: Buffer | undefined
  #isWaiting = false
  #isClosed = false

  constructor(
    port: number,
    onAnswer: (connection: Connection, answer: Answer) => void,
    onFailure: (error: Error) => void,
  ) {
    this.#port = port
    this.#onAnswer = onAnswer
    this.#onFailure = onFailure
    this.#socket = this.#connect()
  }

  send(request: Buffer): void {
    this.#isWaiting = true
    this.#socket.write(request)
  }

  close(): void {
    this.#isClosed = true
    this.#socket.destroy()
  }

  #connect(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => {
      if (this.#isClosed || socket !== this.#socket) return
      if (this.#isWaiting) this.#fail(new Error('the server closed the connection'))
      else this.#socket = this.#connect()
    })
    return socket
  }

  #read(chunk: Buffer): void {
    const bytes = this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk])
    const headLength = bytes.indexOf(headEnd) + headEnd.length
    const head = bytes.toString('latin1', 0, headLength)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
    if (headLength < headEnd.length || bytes.length < headLength + length) {
      this.#pending = bytes
      return
    }
    this.#pending = undefined
    if (!head.startsWith('HTTP/1.1 200 ') || bytes.length !== headLength + length) {
      this.#fail(new Error(`unexpected answer: ${bytes.toString().slice(0, 1000)}`))
      return
    }
    this.#isWaiting = false
    // Servers end a connection after so many requests.
    if (/\r\nconnection: close/i.test(head)) {
      this.#socket.end()
      this.#socket = this.#connect()
    }
    this.#onAnswer(this, { text: () => bytes.toString('utf8', headLength) })
  }

  #fail(error: Error): void {
    if (this.#isClosed) return
    this.close()
    this.#onFailure(error)
  }
}
