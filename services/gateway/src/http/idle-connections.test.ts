import { once } from 'node:events'
import { connect } from 'node:net'
import Fastify from 'fastify'
import t from 'tap'
import { addEdge } from './edge.ts'
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
