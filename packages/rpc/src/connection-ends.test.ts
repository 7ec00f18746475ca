import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ConnectionEnds } from './connection-ends.ts'
import { openChannel, serve, unary } from './text-service.test.support.ts'

const EchoDefinition = { fullName: 'test.Echo', methods: { echo: unary('Echo') } } as const

/** A relay whose far ends can be closed, as by the death of the server: what is still sent to it is read. */
async function startRelay(t: Test, address: string) {
  const { hostname, port } = new URL(`tcp://${address}`)
  const open = new Set<Socket>()
  let received = ''
  const relay = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(Number(port), hostname)
    open.add(far)
    for (const socket of [near, far]) socket.on('error', () => {})
    near.on('data', (bytes) => {
      received += bytes.toString('latin1')
    })
    near.on('close', () => far.destroy())
    far.on('close', () => {
      open.delete(far)
      near.unpipe(far)
      near.end()
      near.resume()
    })
    near.pipe(far)
    far.pipe(near, { end: false })
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const kill = () => {
    for (const far of open) far.destroy()
  }
  t.teardown(() => {
    kill()
    relay.close()
  })
  return {
    address: `127.0.0.1:${(relay.address() as AddressInfo).port}`,
    kill,
    hasReceived: (text: string) => received.includes(text),
  }
}

t.test('a call that was not sent, as its connection had ended, is sent again', async (t) => {
  const seen: string[] = []
  const server = await serve(t, EchoDefinition, {
    async echo(message) {
      seen.push(message)
      return message
    },
  })
  const relay = await startRelay(t, server)
  const { echo } = openChannel(t, relay.address).client(EchoDefinition)
  const failed: string[] = []
  for (let round = 0; round < 20; round += 1) {
    await echo(`before-${round}`)
    const calls: Promise<unknown>[] = []
    relay.kill()
    for (let i = 0; i < 20; i += 1) {
      const message = `call-${round}-${i};`
      calls.push(echo(message).catch(() => failed.push(message)))
      await turn()
    }
    await Promise.all(calls)
  }
  t.strictSame(failed, failed.filter(relay.hasReceived), 'what failed had been sent')
  t.ok(failed.length > 0)
  t.equal(new Set(seen).size, seen.length, 'nothing was done twice')
})

/** What is looked at of a connected socket. */
function connected(remoteAddress = '10.0.0.1'): Socket {
  return Object.assign(new EventEmitter(), { remoteAddress, remotePort: 9001 }) as Socket
}

t.test('a call is unsent when all connections to its peer ended before', async (t) => {
  const ends = new ConnectionEnds()
  const [one, other] = [connected(), connected()]
  const isUnsent = () => ends.isBefore('10.0.0.1:9001', performance.now())
  t.notOk(isUnsent(), 'none is known')
  ends.watch(one)
  ends.watch(other)
  one.emit('end')
  one.emit('close')
  t.notOk(isUnsent(), 'it may have been sent over the other one')
  const before = performance.now()
  other.emit('close')
  t.ok(isUnsent())
  t.notOk(ends.isBefore('10.0.0.1:9001', before))
  ends.watch(connected())
  t.notOk(isUnsent(), 'there is a new one')
})

t.test('a peer with an IPv6 address is named as gRPC does', async (t) => {
  const ends = new ConnectionEnds()
  const socket = connected('fd00::1')
  ends.watch(socket)
  socket.emit('end')
  t.ok(ends.isBefore('[fd00::1]:9001', performance.now()))
})
