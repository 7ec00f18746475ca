import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, connectivityState, credentials } from '@grpc/grpc-js'
import { waitFor } from '@svc/runtime/testing'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { Connection } from './connection.ts'
import { openChannel, serve, unary } from './text-service.test.support.ts'

const EchoDefinition = { fullName: 'test.Echo', methods: { echo: unary('Echo') } } as const

const startEcho = (t: Test) => serve(t, EchoDefinition, { echo: async (message) => message })

/** Takes connections and says nothing on them; later ones pass after `wake`. */
async function startSilentServer(t: Test) {
  const silent = new Set<Socket>()
  const all = new Set<Socket>()
  let target: string | undefined
  const pass = (near: Socket, address: string) => {
    const { hostname, port } = new URL(`tcp://${address}`)
    const far = connect(Number(port), hostname)
    far.on('error', () => {}).on('close', () => near.destroy())
    near.on('close', () => far.destroy())
    near.pipe(far).pipe(near)
  }
  const server = createServer((socket) => {
    all.add(socket)
    socket.on('error', () => {}).on('close', () => silent.delete(socket))
    if (target !== undefined) pass(socket, target)
    else silent.add(socket.resume())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    for (const socket of all) socket.destroy()
    server.close()
  })
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** All connections so far, and those that wait. */
    all,
    silent,
    wake(address: string) {
      target = address
    },
    /** The same, and those that have come before pass as well. */
    wakeForAll(address: string) {
      target = address
      for (const socket of silent) pass(socket, address)
    },
  }
}

t.jobs = 4

t.test('a connection whose server is silent is destroyed, and another made', async (t) => {
  const server = await startSilentServer(t)
  const lines: unknown[] = []
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
  const { echo } = openChannel(t, server.address, { log }).client(EchoDefinition)
  await t.rejects(echo('a', { timeoutMs: 1500 }))
  const msg = 'a peer was silent for a second: its connection is ended'
  await waitFor(() => lines.length > 0)
  t.match(lines[0], { peer: 'the echo', address: server.address, msg })
  t.equal(lines.length, 1, 'the log says so once')
  server.wake(await startEcho(t))
  await waitFor(async () => (await echo('a', { timeoutMs: 100 }).catch(() => '')) === 'a')
  await waitFor(() => server.silent.size === 0)
})

t.test('an idle connection stays', async (t) => {
  const server = await startSilentServer(t)
  server.wake(await startEcho(t))
  const { echo } = openChannel(t, server.address).client(EchoDefinition)
  await echo('a')
  await sleep(1500)
  t.equal(await echo('b'), 'b')
  t.equal(server.all.size, 1, 'it is the same one')
})

/** A connection whose attempts go to these addresses in turn, and then to the last. */
function connectTo(t: Test, ...addresses: string[]) {
  const opened: Client[] = []
  const connection = new Connection(() => {
    const address = addresses[opened.length] ?? addresses.at(-1) ?? ''
    const options = { 'grpc.use_local_subchannel_pool': 1 }
    const client = new Client(address, credentials.createInsecure(), options)
    opened.push(client)
    return client
  })
  t.teardown(async () => connection.close())
  return { connection, opened }
}

const stateOf = (client: Client) => client.getChannel().getConnectivityState(false)
const isReady = (client: Client) => stateOf(client) === connectivityState.READY
const isClosed = (client: Client) => stateOf(client) === connectivityState.SHUTDOWN

t.test('other attempts start while one makes no progress', async (t) => {
  const { address } = await startSilentServer(t)
  const echo = await startEcho(t)
  const { connection, opened } = connectTo(t, address, address, address, echo, address)
  await waitFor(() => isReady(connection.client))
  t.equal(connection.client, opened[3])
  t.ok(opened.slice(0, 3).every(isClosed), 'the others are closed')
})

t.test('a slow attempt continues beside the others', async (t) => {
  const slow = await startSilentServer(t)
  const nowhere = await startSilentServer(t)
  const { connection, opened } = connectTo(t, slow.address, nowhere.address)
  await sleep(2500)
  slow.wakeForAll(await startEcho(t))
  await waitFor(() => isReady(connection.client))
  t.equal(connection.client, opened[0])
  t.ok(opened.length > 1)
})
