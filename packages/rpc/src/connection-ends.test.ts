import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { openChannel, serve, unary } from './text-service.test.support.ts'

const EchoDefinition = { fullName: 'test.Echo', methods: { echo: unary('Echo') } } as const

/** A relay whose connections can be ended as by the death of the server: what is still sent to it is read. */
async function startRelay(t: Test, address: string) {
  const { hostname, port } = new URL(`tcp://${address}`)
  const nears = new Set<Socket>()
  let received = ''
  const relay = createServer({ allowHalfOpen: true }, (near) => {
    nears.add(near)
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) socket.on('error', () => {})
    near.on('close', () => {
      nears.delete(near)
      far.destroy()
    })
    near.on('data', (bytes) => {
      received += bytes.toString('latin1')
    })
    far.on('close', () => {
      near.unpipe(far)
      near.end()
      near.resume()
    })
    near.pipe(far)
    far.pipe(near, { end: false })
    near.once('svc-kill', () => far.destroy())
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  t.teardown(async () => {
    for (const near of nears) near.destroy()
    relay.close()
  })
  return {
    address: `127.0.0.1:${(relay.address() as AddressInfo).port}`,
    kill() {
      for (const near of nears) near.emit('svc-kill')
    },
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
    await echo('before')
    const calls: Promise<unknown>[] = []
    relay.kill()
    for (let i = 0; i < 20; i += 1) {
      const message = `call-${round}-${i};`
      calls.push(echo(message).catch(() => failed.push(message)))
      await turn()
    }
    await Promise.all(calls)
  }
  const sent = failed.filter(relay.hasReceived)
  t.strictSame(failed, sent, 'what failed had been sent')
  t.ok(sent.length > 0)
  t.equal(new Set(seen).size, seen.length - 19, 'nothing was done twice')
})
