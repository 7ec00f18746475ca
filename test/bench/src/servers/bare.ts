// What the gateway is held against: node:http as it comes, with the least that can be done with the same
// request. Reads the body, parses it, and answers a constant of the size that the gateway's answers have.
import { createServer } from 'node:http'

const answer = Buffer.alloc(Number(process.argv[2]), 'x')

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const [first] = chunks
    JSON.parse((chunks.length === 1 && first ? first : Buffer.concat(chunks)).toString())
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length })
    response.end(answer)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' ? address?.port : undefined })
})
// The parent process has ended.
process.on('disconnect', () => process.exit())
