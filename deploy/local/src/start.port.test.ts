import { once } from 'node:events'
import { createServer } from 'node:net'
import { basename } from 'node:path'
import t, { type Test } from 'tap'
import { choosePort, findPortUser } from './start.port.ts'

async function listen(t: Test, host: string): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  t.teardown(() => server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

t.test('takes the port that was asked for when it is free', async (t) => {
  const port = await choosePort(0)
  t.ok(port > 0)
  t.equal(await choosePort(port), port)
})

for (const host of ['127.0.0.1', '::1', '0.0.0.0', '::']) {
  t.test(`names who listens on ${host}, and a port that is free`, async (t) => {
    const port = await listen(t, host)
    const error = await choosePort(port).catch((error: unknown) => error)
    const message = error instanceof Error ? error.message : ''
    const program = basename(process.execPath)
    t.ok(message.startsWith(`Port ${port} is in use by pid ${process.pid} (${program}). `), message)
    const [, instead] = /Use --port (\d+) or stop it\.$/.exec(message) ?? []
    t.equal(await choosePort(Number(instead)), Number(instead))
  })
}

t.test('finds nobody on a port that nobody uses', async (t) => {
  t.equal(findPortUser(await choosePort(0)), undefined)
})
