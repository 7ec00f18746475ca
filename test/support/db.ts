// What `npm run db` runs: the PostgreSQL and the Redis of the tests, for a test file run by `node FILE`.
import { startTestServers } from './run.servers.ts'

const servers = await startTestServers((line) => console.error(line))
const variables = Object.entries(servers.env).map(([name, value]) => `export ${name}=${value}`)
console.log([...variables, '# Ctrl-C ends both servers.'].join('\n'))

const holdOpen = setInterval(() => {}, 2 ** 30)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, async () => {
    await servers.stop()
    clearInterval(holdOpen)
  })
}
// The launcher that started this holds a channel; its end is a signal as well.
process.once('disconnect', () => process.emit('SIGTERM'))
process.channel?.unref()
