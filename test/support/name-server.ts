import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A name server of the test's own: answers with the IPv4 addresses that a name has at the moment. */
export interface NameServer {
  readonly port: number
  set(name: string, addresses: readonly string[]): void
}

const headerBytes = 12
const answer = { response: 0x8180, notFound: 0x8183 }

export async function startNameServer(t: {
  teardown(work: () => Promise<void>): void
}): Promise<NameServer> {
  const names = new Map<string, readonly string[]>()
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const { name, end } = readName(query)
    const found = shuffled(names.get(name) ?? [])
    const header = Buffer.from(query.subarray(0, headerBytes))
    header.writeUInt16BE(found.length > 0 ? answer.response : answer.notFound, 2)
    for (const [count, at] of [
      [1, 4],
      [found.length, 6],
      [0, 8],
      [0, 10],
    ] as const) {
      header.writeUInt16BE(count, at)
    }
    const question = query.subarray(headerBytes, end + 4)
    socket.send(Buffer.concat([header, question, ...found.map(toRecord)]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.teardown(async () => {
    socket.close()
  })
  return {
    port: socket.address().port,
    set: (name, addresses) => void names.set(name, addresses),
  }
}

/** For `NODE_OPTIONS`: a process looks names up there, and not where the system does. */
export function lookingUpAt({ port }: NameServer): string {
  const code = `
    import dns from 'node:dns'
    const resolver = new dns.promises.Resolver({ timeout: 1000, tries: 2 })
    resolver.setServers(['127.0.0.1:${port}'])
    dns.promises.lookup = async (name) =>
      (await resolver.resolve4(name)).map((address) => ({ address, family: 4 }))`
  return `--import "data:text/javascript,${encodeURIComponent(code)}"`
}

function readName(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = []
  let at = headerBytes
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

/** The name of the question, an address of the internet, for no time, of four bytes. */
function toRecord(address: string): Buffer {
  const head = [0xc0, headerBytes, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]
  return Buffer.from([...head, ...address.split('.').map(Number)])
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item)
}
