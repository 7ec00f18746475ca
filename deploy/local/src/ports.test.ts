import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import t, { type Test } from 'tap'
import { choosePort } from './ports.ts'

async function listen(t: Test, host: string): Promise<{ port: number; server: Server }> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  t.teardown(() => server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { port: address.port, server }
}

t.test('takes the port that was asked for when it is free', async (t) => {
  const port = await choosePort(0)
  t.ok(port > 0)
  t.equal(await choosePort(port), port)
})

t.test('any free port is none that a connection may get before it is used', async (t) => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => choosePort(0)))
  t.ok(ports.every((port) => port < 32_768))
})

for (const host of ['127.0.0.1', '::1', '0.0.0.0', '::']) {
  t.test(`refuses a port on which ${host} listens, and names one that is free`, async (t) => {
    const { port } = await listen(t, host)
    const error = await choosePort(port).catch((error: unknown) => error)
    const message = error instanceof Error ? error.message : ''
    const [, instead] = sentence.exec(message) ?? []
    t.match(message, `Port ${port} is in use.`)
    t.equal(await choosePort(Number(instead)), Number(instead))
  })
}

const sentence =
  /^Port \d+ is in use\. Choose another with --port (\d+) or server\.http_port, or stop what uses it\.$/

t.test('waits for a process that is ending', async (t) => {
  const { port, server } = await listen(t, '127.0.0.1')
  const chosen = choosePort(port, 60_000)
  server.close()
  t.equal(await chosen, port)
})
