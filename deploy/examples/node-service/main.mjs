import { createServer } from 'node:http'
import { connect } from '@svc/client'

const flags = await connect({
  url: process.env.SVC_URL ?? 'http://localhost:8080',
  namespace: 'default',
  credential: { token: process.env.SVC_TOKEN },
  // With it the service starts also while the flag service is down.
  lastKnownGood: 'flags.json',
})
flags.on('change', ({ flagKeys, revision }) => console.log(`${revision}: ${flagKeys.join(', ')}`))
const warn = () => console.error('no news of flags: going on with the last ones')
if (flags.isStale) warn() // they are from the file
flags.on('stale', warn)
flags.on('error', ({ message }) => console.error(message))

const server = createServer((request, response) => {
  const user = new URL(request.url, 'http://localhost').searchParams.get('user') ?? ''
  const isNew = flags.boolean('checkout', { entityId: user }, false)
  response.end(isNew ? 'The new checkout\n' : 'The old checkout\n')
})
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`ready: http://localhost:${server.address().port}`)
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    server.close()
    server.closeIdleConnections()
    await flags.close()
  })
}
