// Hands connections to a port of this machine on to the demo provider. It shares the network of auth, which calls
// plain http at loopback addresses alone, so that auth and browsers reach the provider at one address.
//   PORT=9000 node tunnel.mjs HOST:PORT
import { lookup } from 'node:dns/promises'
import { connect, createServer } from 'node:net'

const { PORT: port } = process.env
const [target] = process.argv.slice(2)
const [host, targetPort] = target.split(':')

/** Interval at which the network is tried, in milliseconds. A restart of auth leaves this process without one. */
const checkMs = 2000

const relay = (socket) => {
  const upstream = connect(Number(targetPort), host)
  const end = () => {
    socket.destroy()
    upstream.destroy()
  }
  for (const one of [socket, upstream]) one.on('error', end).on('close', end)
  socket.pipe(upstream).pipe(socket)
}
createServer(relay).listen(Number(port), '127.0.0.1')
// The name `localhost` leads here, too. A network may be without it.
createServer(relay)
  .on('error', () => {})
  .listen(Number(port), '::1')

// The engine starts it again, in the network that auth has then.
setInterval(() => lookup(host).catch(() => process.exit(1)), checkMs)
process.once('SIGTERM', () => process.exit())
