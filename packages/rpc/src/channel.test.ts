import { once } from 'node:events'
import { createServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { openChannel } from './text-service.test.support.ts'

const read = '/test.Notes/Read'
const write = '/test.Notes/Write'

/** A server that loses its first call when it has sent the headers of the answer. */
async function startBreaking(t: Test) {
  const paths: unknown[] = []
  const sessions = new Set<ServerHttp2Session>()
  const server = createServer()
  server.on('session', (session) => sessions.add(session))
  server.on('stream', (stream, headers) => {
    paths.push(headers[':path'])
    stream.on('error', () => {})
    stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true })
    if (paths.length === 1) {
      setTimeout(() => stream.session?.destroy(), 20)
      return
    }
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    // Not compressed, four bytes long.
    stream.end(Buffer.from([0, 0, 0, 0, 4, ...Buffer.from('done')]))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const retried = [{ service: 'test.Notes', method: 'Read' }]
  const channel = openChannel(t, `127.0.0.1:${port}`, { retried })
  return { channel, paths }
}

t.test('a replica that fails within its answer', async (t) => {
  await t.test('to a read: another one is called', async (t) => {
    const { channel, paths } = await startBreaking(t)
    let calls = 0
    const answer = await channel.call(read, Buffer.of(), {
      onTrailers: () => {
        calls += 1
      },
    })
    t.equal(Buffer.from(answer.bytes).toString(), 'done')
    t.strictSame(paths, [read, read])
    t.equal(calls, 1, 'what came with the answer is reported once')
  })

  await t.test('to a write: it is not retried, as it may have been done', async (t) => {
    const { channel, paths } = await startBreaking(t)
    await t.rejects(channel.call(write, Buffer.of()), { code: 'unavailable' })
    t.strictSame(paths, [write])
  })
})
