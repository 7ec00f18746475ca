import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { fakeTime, waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { openEdge } from './edge.ts'

t.test('closing waits for answers, and not for connections', async (t) => {
  const app = openEdge()
  const finish = Promise.withResolvers<string>()
  let asked = 0
  app.get('/slow', () => {
    asked += 1
    return finish.promise
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
  await waitFor(() => asked === 1)
  const startedAt = performance.now()
  const closing = app.close()
  late.write('GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  await waitFor(() => asked === 2)
  finish.resolve('done')
  t.equal(await (await busy).text(), 'done')
  t.match(String((await once(late, 'data'))[0]), /^HTTP\/1.1 200 /, 'a late request is answered')
  await closing
  t.ok(performance.now() - startedAt < 5000)
})

t.test('closing ends at last, with answers that are not taken', { timeout: 20_000 }, async (t) => {
  const app = openEdge()
  const endless = new Readable({ read: () => void endless.push(Buffer.alloc(2 ** 16)) })
  app.get('/', async () => endless)
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'readable')
  const pass = fakeTime(t)
  let isClosed = false
  const closing = app.close().then(() => {
    isClosed = true
  })
  await pass(0)
  await pass(15_999)
  t.notOk(isClosed)
  await pass(1)
  await closing
  t.ok(isClosed)
})

t.test('a connection that carries nothing is ended, by Node.js', async (t) => {
  t.equal(openEdge().server.keepAliveTimeout, 72_000)
  const app = openEdge({ server: { keepAliveTimeout: 1 } })
  // By that much longer than it says to clients does Node.js wait.
  app.server.keepAliveTimeoutBuffer = 1
  t.teardown(() => app.close())
  app.get('/', async () => 'done')
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  t.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 200 /)
  await once(socket, 'end')
})

t.test(
  'a reader that takes nothing of a long answer is cut off, and a slow one is not',
  async (t) => {
    const app = openEdge({ stalledMs: 500 })
    t.teardown(() => app.close())
    app.get('/', async () => longAnswer)
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    const ask = async () => {
      const socket = connect(Number(port), '127.0.0.1')
      t.teardown(() => socket.destroy())
      socket.on('error', () => {})
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      await once(socket, 'data')
      return socket
    }
    const reader = await ask()
    const opened = once(app.server, 'connection')
    const stuck = await ask()
    const [toStuck]: Socket[] = await opened
    stuck.pause()
    reader.on('data', () => {
      reader.pause()
      setTimeout(() => reader.resume(), 3)
    })
    await once(reader, 'end')
    t.ok(reader.bytesRead > longAnswer.length, 'it took more than a second, and is whole')
    if (toStuck?.destroyed === false) await once(toStuck, 'close')
    stuck.resume()
    await once(stuck, 'close')
    t.ok(stuck.bytesRead < longAnswer.length, 'the one that took nothing has lost it')
  },
)

/** Many times what the system keeps for a connection. */
const longAnswer = Buffer.alloc(24 * 2 ** 20)
