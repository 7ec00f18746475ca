// A client that sends requests at a constant rate, as a process of its own: see `load.generator.ts`.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { GeneratedLoad, LoadReport } from './load.generator.ts'

/** An answer that is later than this counts as none, and its connection is given up. */
const answerTimeoutMs = 10_000

/** An answer that took no longer is prompt, in milliseconds. */
const promptMs = 1000

const headEnd = Buffer.from('\r\n\r\n')

class Connection {
  readonly socket: Socket
  readonly #onAnswer: (connection: Connection) => void
  sentAt = Number.NaN
  isDone = true
  status = 0
  /** The first bytes of the body. */
  text = ''
  /** For how long it asks to wait, in milliseconds. */
  retryAfterMs: number | undefined
  /** Bytes of the body that are still to come; none while the head is. */
  #missing: number | undefined
  #head: Buffer = Buffer.alloc(0)

  constructor(
    port: number,
    onAnswer: (connection: Connection) => void,
    onEnd: (connection: Connection) => void,
  ) {
    this.#onAnswer = onAnswer
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.socket.on('connect', () => onAnswer(this))
    this.socket.on('data', (bytes) => this.#read(bytes))
    this.socket.on('error', () => {})
    this.socket.on('close', () => onEnd(this))
  }

  send(request: Buffer): void {
    this.isDone = false
    this.sentAt = performance.now()
    this.socket.write(request)
  }

  #read(bytes: Buffer): void {
    let rest = bytes
    if (this.#missing === undefined) {
      this.#head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes])
      const end = this.#head.indexOf(headEnd)
      if (end < 0) return
      const head = this.#head.toString('latin1', 0, end)
      rest = this.#head.subarray(end + headEnd.length)
      this.#head = Buffer.alloc(0)
      this.status = Number(head.slice(9, 12))
      const seconds = /\r\nretry-after: (\d+)/i.exec(head)?.[1]
      this.retryAfterMs = seconds === undefined ? undefined : 1000 * Number(seconds)
      this.text = rest.toString('latin1', 0, 200)
      this.#missing = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
    }
    this.#missing -= rest.length
    if (this.#missing > 0) return
    this.#missing = undefined
    this.isDone = true
    this.#onAnswer(this)
  }
}

function run(load: GeneratedLoad): Promise<LoadReport> {
  const { port, perSecond, forMs, connections, heedsRetryAfter = false } = load
  const requests = load.requests.map((request) => Buffer.from(request, 'latin1'))
  const answers: Record<string, { tookMs: number[]; withoutRetryAfter: number; first: string }> = {}
  const goodPerSecond: number[] = []
  const promptPerSecond: number[] = []
  const secondOf = (at: number) => Math.floor((at - startedAt) / 1000)
  const count = (counts: number[], second: number) => {
    counts[second] = (counts[second] ?? 0) + 1
  }
  const free: Connection[] = []
  const open = new Set<Connection>()
  let startedAt = Number.NaN
  let sent = 0
  let unsent = 0
  let broken = 0
  let underWay = 0

  const answered = (connection: Connection): void => {
    const { sentAt, status } = connection
    if (!Number.isNaN(sentAt)) {
      const now = performance.now()
      underWay -= 1
      answers[status] ??= { tookMs: [], withoutRetryAfter: 0, first: connection.text }
      const one = answers[status]
      one.tookMs.push(now - sentAt)
      if (connection.retryAfterMs === undefined) one.withoutRetryAfter += 1
      if (status === 200) {
        count(goodPerSecond, secondOf(now))
        if (now - sentAt <= promptMs) count(promptPerSecond, secondOf(sentAt))
      }
      connection.sentAt = Number.NaN
      if (heedsRetryAfter && connection.retryAfterMs !== undefined) {
        const freeAgain = () => open.has(connection) && free.push(connection)
        setTimeout(freeAgain, connection.retryAfterMs)
        return
      }
    }
    free.push(connection)
  }
  const ended = (connection: Connection): void => {
    open.delete(connection)
    if (!connection.isDone) {
      underWay -= 1
      broken += 1
    }
    const at = free.indexOf(connection)
    if (at >= 0) free.splice(at, 1)
  }
  const connectOne = () => open.add(new Connection(port, answered, ended))
  for (let i = 0; i < connections; i += 1) connectOne()

  return new Promise((resolve) => {
    let due = 0
    const tick = () => {
      const now = performance.now()
      if (Number.isNaN(startedAt)) {
        if (free.length < connections / 2) return
        startedAt = now
      }
      while (open.size < connections) connectOne()
      const isOver = now - startedAt >= forMs
      for (; !isOver && startedAt + (due * 1000) / perSecond <= now; due += 1) {
        const connection = free.shift()
        const request = requests[due % requests.length]
        if (connection === undefined || request === undefined) {
          unsent += 1
          continue
        }
        sent += 1
        underWay += 1
        connection.send(request)
      }
      if (!isOver || (underWay > 0 && now - startedAt < forMs + answerTimeoutMs)) return
      clearInterval(timer)
      for (const connection of open) connection.socket.destroy()
      resolve({
        sent,
        unsent,
        unanswered: broken + underWay,
        answers,
        goodPerSecond: Array.from(goodPerSecond, (count) => count ?? 0),
        promptPerSecond: Array.from(promptPerSecond, (count) => count ?? 0),
      })
    }
    const timer = setInterval(tick, 2)
  })
}

const [load] = (await once(process, 'message')) as [GeneratedLoad]
process.send?.(await run(load), () => process.exit(0))
