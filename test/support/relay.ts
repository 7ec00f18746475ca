import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Readable } from 'node:stream'

/**
 * Passes connections on to a port. What comes back from there goes through `answers`, which may look
 * at it or change it.
 *
 * @returns the port to connect to instead, of 127.0.0.1
 */
export async function startRelay(
  t: { teardown(work: () => Promise<void>): void },
  target: { readonly host: string; readonly port: number },
  answers: (far: Socket) => Readable,
): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay()
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    near.pipe(far)
    answers(far).pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return (server.address() as AddressInfo).port
}
