// Hands connections to a port of this machine on to the demo provider. It shares the network of auth, which calls
// plain http at loopback addresses alone, so that auth and browsers reach the provider at one address.
//   PORT=9000 node tunnel.mjs HOST:PORT
import { connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'

const { PORT: port } = process.env
const [target] = process.argv.slice(2)
const [host, targetPort] = target.split(':')

/** Interval at which the network is looked at, in milliseconds. A restart of auth leaves this process without one. */
const checkMs = 2000

/** How long auth has for its restart, in checks: the engine starts nothing in the network of what does not run. */
const maxChecks = 5

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
let missing = 0
setInterval(() => {
  const isThere = Object.values(networkInterfaces()).some((all) => all.some((one) => !one.internal))
  missing = isThere ? 0 : missing + 1
  if (missing === maxChecks) process.exit(1)
}, checkMs)
process.once('SIGTERM', () => process.exit())
