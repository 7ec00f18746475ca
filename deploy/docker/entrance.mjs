// The one published door of docker-compose.yml: hands each connection on to one of the gateways,
// however many there are. It does not look at the bytes.
//   node entrance.mjs PORT HOST PORT
import { Resolver } from 'node:dns'
import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'

const [listenPort, host, port] = process.argv.slice(2)

/** How long open connections may go on after the signal to end; compose waits longer. */
const drainMs = 5000

// Compose's DNS answers at once, or not at all while it restarts.
const resolver = new Resolver({ timeout: 1000, tries: 2 })

/**
 * All gateways, in the random order in which compose's DNS gives them: the system's own lookup
 * would sort them, and one would get every connection. `connect` goes through them until one
 * accepts.
 */
function lookup(name, _options, done) {
  resolver.resolve4(name, (error, addresses = []) => {
    done(
      error,
      addresses.map((address) => ({ address, family: 4 })),
    )
  })
}

const server = createServer({ allowHalfOpen: true, keepAlive: true, noDelay: true }, (client) => {
  const gateway = connect({ host, port, lookup, allowHalfOpen: true, keepAlive: true })
  gateway.setNoDelay(true)
  // Whatever ends one side ends the other; there is nobody to tell.
  pipeline(client, gateway, client, () => {})
})

// As many as one gateway takes, and far below the open files that a container may have.
server.maxConnections = 10_000
server.listen(Number(listenPort))

process.once('SIGTERM', () => {
  server.close(() => process.exit(0))
  setTimeout(() => process.exit(0), drainMs)
})
