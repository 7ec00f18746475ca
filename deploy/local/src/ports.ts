import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** A port on 127.0.0.1 that was free a moment ago; another process may take it meanwhile. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port was assigned')
  return address.port
}

/** Whether anything accepts connections on this port of 127.0.0.1; loopback answers at once. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
