import { once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
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
  const { app, connectTo } = await listen(t, { roundMs: 20, quietRounds: 10 })
  t.equal(app.server.keepAliveTimeout, 0, 'by us, and not by Node.js')
  const [unused, used] = [await connectTo('/short'), await connectTo('/short')]
  const streaming = await connectTo('/stream')
  while (!unused.readableEnded) {
    used.write(get('/short'))
    app.server.emit('more')
    await sleep(40)
  }
  t.notOk(used.readableEnded, 'not the one that was asked again')
  t.notOk(streaming.readableEnded, 'nor the one that was sent something')
  await once(used, 'end')
})

t.test('a reader has as long as it takes for a long answer, while it takes some', async (t) => {
  const { connectTo } = await listen(t, { roundMs: 50, quietRounds: 20 })
  const [reader, stuck] = [await connectTo('/long'), await connectTo('/long')]
  stuck.pause()
  reader.on('data', () => {
    reader.pause()
    setTimeout(() => reader.resume(), 3)
  })
  await once(reader, 'end')
  t.ok(reader.bytesRead > longAnswer.length, 'it took seconds, and is whole')
  stuck.resume()
  await once(stuck, 'close')
  t.ok(stuck.bytesRead < longAnswer.length, 'one that took nothing has lost it')
})

/** Many times what the system keeps for a connection. */
const longAnswer = Buffer.alloc(48 * 2 ** 20)

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

async function listen(t: Test, limits: Parameters<typeof endIdleConnections>[1]) {
  const app = Fastify({ ...serverOptions })
  t.teardown(() => app.close())
  endIdleConnections(app, limits)
  const stream = new PassThrough()
  t.teardown(() => stream.end())
  app.server.on('more', () => stream.write('more'))
  app.get('/short', async () => 'done')
  app.get('/long', async () => longAnswer)
  app.get('/stream', async () => {
    stream.write('begun')
    return stream
  })
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  return {
    app,
    /** Asks for a path, and waits until the answer begins. */
    async connectTo(path: string) {
      const socket = connect(Number(port), '127.0.0.1')
      t.teardown(() => socket.destroy())
      socket.on('error', () => {})
      socket.write(get(path))
      await once(socket, 'data')
      return socket
    },
  }
}
