import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { openEdge } from './edge.ts'

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

async function listen(t: Test, maxConnections: number) {
  const app = openEdge({ maxConnections })
  app.get('/', async () => 'done')
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  t.teardown(() => app.close())
  const open = async (): Promise<Socket> => {
    const accepted = once(app.server, 'connection')
    const socket = connect(Number(port), '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.on('error', () => {})
    await accepted
    return socket
  }
  /** @returns whether there is an answer */
  const ask = async (socket: Socket): Promise<boolean> => {
    socket.write(request)
    const [data] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
    return String(data).startsWith('HTTP/1.1 200 ')
  }
  return { open, ask }
}

t.test('connections on which nothing comes keep no caller out', async (t) => {
  const { open, ask } = await listen(t, 10)
  const silent: Socket[] = []
  for (let i = 0; i < 9; i++) silent.push(await open())
  const closed = silent.map((socket) => once(socket, 'close'))
  const callers: Socket[] = []
  for (let i = 0; i < 5; i++) {
    const caller = await open()
    t.ok(await ask(caller), `caller ${i}`)
    callers.push(caller)
  }
  await Promise.all(closed.slice(0, 5))
  t.strictSame(
    silent.map(({ closed }) => closed),
    [true, true, true, true, true, false, false, false, false],
    'the oldest of them go',
  )
  for (const caller of callers) t.ok(await ask(caller), 'connections in use stay')
})

t.test('nor does half of a request', async (t) => {
  const { open, ask } = await listen(t, 4)
  for (let i = 0; i < 20; i++) (await open()).write('GET / HTTP/1.1\r\nHost')
  t.ok(await ask(await open()))
})

t.test('when all connections are in use, further ones are closed', async (t) => {
  const { open, ask } = await listen(t, 3)
  const callers: Socket[] = []
  for (let i = 0; i < 3; i++) {
    const caller = await open()
    t.ok(await ask(caller))
    callers.push(caller)
  }
  const further = connect({ port: callers[0]?.remotePort ?? 0, host: '127.0.0.1' })
  further.on('error', () => {})
  await once(further, 'close')
  for (const caller of callers) t.ok(await ask(caller))
})
