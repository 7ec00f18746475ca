import { once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import Fastify from 'fastify'
import t from 'tap'
import { addEdge } from './edge.ts'
import { endIdleConnections } from './idle-connections.ts'
import { serverOptions } from './server-options.ts'

t.test('closing waits for answers, and not for connections', async (t) => {
  const app = Fastify({ ...serverOptions })
  addEdge(app)
  app.get('/slow', async () => {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    return 'done'
  })
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const open = async () => {
    const socket = connect(Number(port), '127.0.0.1')
    t.teardown(() => socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  await open()
  const late = await open()
  const busy = fetch(`http://127.0.0.1:${port}/slow`)
  await new Promise((resolve) => setTimeout(resolve, 100))
  const startedAt = performance.now()
  const closing = app.close()
  late.write('GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  t.equal(await (await busy).text(), 'done')
  t.match(String((await once(late, 'data'))[0]), /^HTTP\/1.1 200 /, 'a late request is answered')
  await closing
  t.ok(performance.now() - startedAt < 5000)
})

t.test('a connection that carries nothing for long enough is ended', async (t) => {
  const clock = { ms: 0 }
  const app = Fastify({ ...serverOptions })
  t.teardown(() => app.close())
  endIdleConnections(app, { idleMs: 1000, roundMs: 5, now: () => clock.ms })
  app.get('/', async () => 'done')
  const stream = new PassThrough()
  app.get('/stream', async () => stream)
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const open = async (path: string) => {
    const socket = connect(Number(port), '127.0.0.1')
    t.teardown(() => socket.destroy())
    const ask = async () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
      await once(socket, 'data')
    }
    if (path === '/stream') stream.write('begun')
    await ask()
    return { ask, isOpen: () => !socket.readableEnded }
  }
  t.equal(app.server.keepAliveTimeout, 0, 'by us, and not by Node.js')
  const pass = async (ms: number) => {
    await someRounds()
    clock.ms += ms
    await someRounds()
  }
  const unused = await open('/')
  const used = await open('/')
  const streaming = await open('/stream')
  await pass(999)
  t.ok(unused.isOpen())
  await used.ask()
  stream.write('more')
  await pass(1)
  t.notOk(unused.isOpen())
  t.ok(used.isOpen(), 'not the one that was asked again')
  t.ok(streaming.isOpen(), 'nor the one that was sent something')
  await pass(1000)
  t.notOk(used.isOpen())
})

/** Enough for several looks at the connections, and for what comes of them. */
function someRounds(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 100))
}
