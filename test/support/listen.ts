import { once } from 'node:events'
import type { AddressInfo, ListenOptions, Server, Socket } from 'node:net'

/** What a helper needs of a test: a hook for its end. */
export interface Test {
  teardown(work: () => Promise<void>): void
}

/** Has a server listen until the test is over, on a free port of 127.0.0.1 or at a path. @returns the port */
export async function listen(
  t: Test,
  server: Server,
  options: ListenOptions = {},
): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(options.path === undefined ? { host: '127.0.0.1', port: 0, ...options } : options)
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}
