import { createServer } from 'node:http'
import { connect } from '@svc/client'

const flags = await connect({
  url: process.env.FLAGS_URL,
  namespace: process.env.FLAGS_NAMESPACE,
  // The cluster writes a new token into the file before the old one expires; the client reads it again.
  credential: {
    serviceAccount: { file: process.env.FLAGS_TOKEN_FILE, audience: process.env.FLAGS_AUDIENCE },
  },
  // In a volume that outlives the container, so that it starts again while the flag service is down.
  lastKnownGood: process.env.FLAGS_FILE,
})
flags.on('change', ({ flagKeys, revision }) => console.log(`${revision}: ${flagKeys.join(', ')}`))
const warn = () => console.error('no news of flags: going on with the last ones')
if (flags.isStale) warn() // they are from the file
flags.on('stale', warn)
flags.on('error', ({ message }) => console.error(message))

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  if (pathname === '/healthz') return response.end('ok\n')
  const entityId = searchParams.get('user') ?? ''
  const isNew = flags.boolean('checkout', { entityId }, false)
  return response.end(isNew ? 'The new checkout\n' : 'The old checkout\n')
})
server.listen(Number(process.env.PORT), process.env.HOST, () => {
  console.log(`ready: http://localhost:${server.address().port}`)
})

process.once('SIGTERM', async () => {
  server.close()
  server.closeIdleConnections()
  await flags.close()
})
