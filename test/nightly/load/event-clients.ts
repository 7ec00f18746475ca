// A process of many clients of an event stream, each a bare socket. Its arguments: port, path,
// number. It says when all are connected and, whenever it is asked, what has come since.
import { connect, type Socket } from 'node:net'

/** What all clients have got since the last report, in the order in which they connected. */
export interface Report {
  /** Of each client: the ids of its events. */
  readonly ids: readonly (readonly string[])[]
  /** When each client had its last one; the clock is that of all processes of the machine. */
  readonly lastAtMs: readonly number[]
  /** How many are still connected. */
  readonly open: number
}

/** How many connect at the same time. */
const parallel = 100

interface Client {
  readonly socket: Socket
  ids: string[]
  lastAtMs: number
}

const [port = 0, path = '', count = 0] = process.argv
  .slice(2)
  .map((text, i) => (i === 1 ? text : Number(text)))

function open(): Promise<Client> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1')
    const client: Client = { socket, ids: [], lastAtMs: 0 }
    socket.on('error', reject)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n`)
    socket.once('data', (head) => {
      if (!head.toString('latin1').startsWith('HTTP/1.1 200 ')) reject(new Error(head.toString()))
      resolve(client)
    })
    socket.on('data', (bytes) => {
      // An event is far smaller than a segment, so that it comes in one piece.
      for (const [, id = ''] of bytes.toString('latin1').matchAll(/id: (\d+)\ndata: /g)) {
        client.ids.push(id)
        client.lastAtMs = nowMs()
      }
    })
  })
}

function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

const clients: Client[] = []
const work = async () => {
  while (clients.length < Number(count)) {
    const place = clients.length
    // Taken before it is there, so that no other takes the same.
    clients.length = place + 1
    clients[place] = await open()
  }
}
await Promise.all(Array.from({ length: parallel }, work))
process.on('message', () => {
  const report: Report = {
    ids: clients.map(({ ids }) => ids),
    lastAtMs: clients.map(({ lastAtMs }) => lastAtMs),
    open: clients.filter(({ socket }) => !socket.closed).length,
  }
  process.send?.(report)
  for (const client of clients) client.ids = []
})
process.on('disconnect', () => process.exit())
process.send?.('connected')
