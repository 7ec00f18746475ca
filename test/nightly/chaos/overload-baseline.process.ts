// A server of Node.js that does nothing but refuse: see `overload-baseline.test.ts`.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const message = 'the gateway is overloaded, try again later'
const body = JSON.stringify({ code: 14, message, details: [] })

const server = createServer((_request, response) => {
  response.writeHead(503, {
    'content-type': 'application/json',
    'content-length': body.length,
    'retry-after': String(3 + Math.floor(7 * Math.random())),
  })
  response.end(body)
})
const backlog = 4096
server.listen(0, '127.0.0.1', backlog, () => {
  process.send?.((server.address() as AddressInfo).port)
})
process.on('disconnect', () => process.exit(0))
