import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:tls'
import t from 'tap'
import { createAuthority } from './certificates.ts'

t.test('a server is trusted by those who trust its authority, under its own names', async (t) => {
  const [authority, other] = await Promise.all([createAuthority(), createAuthority()])
  const server = createServer(await authority.issue('127.0.0.1', 'api.test'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const handshake = async (ca: string, servername?: string) => {
    const socket = connect({ host: '127.0.0.1', port, ca, ...(servername && { servername }) })
    try {
      await once(socket, 'secureConnect')
      return 'trusted'
    } catch (error) {
      return (error as NodeJS.ErrnoException).code
    } finally {
      socket.destroy()
    }
  }
  t.equal(await handshake(authority.cert), 'trusted')
  t.equal(await handshake(authority.cert, 'api.test'), 'trusted')
  t.equal(await handshake(authority.cert, 'other.test'), 'ERR_TLS_CERT_ALTNAME_INVALID')
  t.equal(await handshake(other.cert), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
})
