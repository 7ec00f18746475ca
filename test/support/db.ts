// What `npm run db` runs: the PostgreSQL and the Redis of the tests, for a test file run by `node FILE`.
import { once } from 'node:events'
import { whenAskedToEnd } from '@svc/local/start.signals'
import { startTestServers } from './run.servers.ts'

const servers = await startTestServers((line) => console.error(line))
const variables = Object.entries(servers.env).map(([name, value]) => `export ${name}=${value}`)
console.log([...variables, '# Ctrl-C ends both servers.'].join('\n'))

const holdOpen = setInterval(() => {}, 2 ** 30)
await once(whenAskedToEnd(), 'abort')
await servers.stop()
clearInterval(holdOpen)
