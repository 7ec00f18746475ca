import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { admit, keepForOne, maxAhead } from './pipelining.ts'

/** A server, and a client of one connection. */
async function start(t: Test, listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close().closeAllConnections())
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.teardown(() => void client.destroy())
  client.on('error', () => {})
  let text = ''
  client.on('data', (data) => {
    text += data.toString()
  })
  return {
    client,
    ask: (times: number) => client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(times)),
    answers: () => text.split('HTTP/1.1 200').length - 1,
  }
}

t.test('a connection that sends too far ahead ends', async (t) => {
  let served = 0
  let connection: Socket | undefined
  const { client, ask } = await start(t, (request, response) => {
    connection = request.socket
    if (admit(response)) served += 1
  })
  ask(500)
  await once(client, 'close')
  t.equal(served, 1 + maxAhead, 'of those that were read with them none is served')
  t.equal(connection?.destroyed, true)
})

t.test('some may be sent ahead, again and again', async (t) => {
  const begun: ServerResponse[] = []
  const { ask, answers } = await start(t, (_request, response) => {
    if (admit(response)) begun.push(response)
  })
  for (let round = 1; round <= 3; round += 1) {
    ask(1 + maxAhead)
    await waitFor(() => begun.length === 1 + maxAhead)
    for (const response of begun.splice(0).reverse()) response.end('answer')
    await waitFor(() => answers() === round * (1 + maxAhead))
  }
})

t.test('a connection that is kept for one answer has no other request', async (t) => {
  let served = 0
  const { client, ask } = await start(t, (request, response) => {
    if (!admit(response)) return
    served += 1
    t.ok(keepForOne(request.socket))
    response.write('without an end')
  })
  ask(1)
  await once(client, 'data')
  ask(1)
  await once(client, 'close')
  t.equal(served, 1)
})

t.test('a connection on which requests wait is not kept for one', async (t) => {
  const begun: ServerResponse[] = []
  const { ask } = await start(t, (_request, response) => {
    if (admit(response)) begun.push(response)
  })
  ask(2)
  await waitFor(() => begun.length === 2)
  const [first, second] = begun
  t.equal(keepForOne(first?.req.socket as Socket), false)
  first?.end()
  await once(first as ServerResponse, 'close')
  await waitFor(() => second?.socket !== null)
  second?.end()
  await once(second as ServerResponse, 'close')
  t.equal(keepForOne(second?.req.socket as Socket), true)
})
