import { once } from 'node:events'
import { createServer } from 'node:net'
import t from 'tap'
import { findFreePort } from './ports.ts'
import { reachDatabase } from './start.database.ts'

t.test('a database is reached where one of its hosts takes connections', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const alive = `127.0.0.1:${address.port}`
  const [one, other] = [await findFreePort(), await findFreePort()].map(
    (port) => `127.0.0.1:${port}`,
  )
  const urlOf = (hosts: string) => `postgres://svc:hunter2@${hosts}/svc`
  for (const hosts of [alive, `${one},${alive}`, `${alive},${one}`, `[::1]:1,${alive}`]) {
    await reachDatabase(urlOf(hosts))
    t.pass(hosts)
  }
  await reachDatabase('postgres:///svc?host=/run/postgresql')
  await t.rejects(reachDatabase(urlOf(`${one},${other}`)), {
    message: `Can't reach PostgreSQL at ${one} (ECONNREFUSED) or ${other} (ECONNREFUSED). Set SVC_DB_URL if it is elsewhere.`,
  })
  await t.rejects(reachDatabase(urlOf('[::1]:1')), { message: /at \[::1\]:1 \(E\w+\)\. Set/ })
})
