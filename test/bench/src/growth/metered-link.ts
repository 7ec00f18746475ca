import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Run } from '../row.ts'

/** A way to a service that counts what the service sends. */
export interface MeteredLink {
  readonly address: string
  readonly bytes: number
}

export async function startMeteredLink(run: Run, port: number): Promise<MeteredLink> {
  const sockets = new Set<Socket>()
  let bytes = 0
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    far.on('data', (chunk) => (bytes += chunk.length))
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay()
      socket.on('error', () => {})
      socket.on('close', () => other.destroy())
      socket.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  run.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    get bytes() {
      return bytes
    },
  }
}
