import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, connectivityState, credentials } from '@grpc/grpc-js'
import { waitFor } from '@svc/runtime/testing'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { RpcChannel } from './channel.ts'
import { Connection } from './connection.ts'
import type { MessageType } from './definition.ts'
import { unprotected } from './protection.ts'
import { RpcServer } from './server.ts'

const text: MessageType<string> = {
  encode: (message) => ({ finish: () => Buffer.from(message) }),
  decode: (bytes) => Buffer.from(bytes).toString(),
}

const EchoDefinition = {
  fullName: 'test.Echo',
  methods: {
    echo: {
      name: 'Echo',
      requestType: text,
      requestStream: false,
      responseType: text,
      responseStream: false,
    },
  },
} as const

async function startEcho(t: Test): Promise<number> {
  const server = new RpcServer({ log: pino({ level: 'silent' }), protection: unprotected }).add(
    EchoDefinition,
    {
      echo: async (message) => message,
    },
  )
  t.teardown(() => server.close())
  return server.listen('127.0.0.1:0')
}

/** Takes connections and says nothing on them; later ones pass after {@link SilentServer.wake}. */
interface SilentServer {
  readonly address: string
  /** How many have come. */
  count(): number
  /** Those that are open. */
  readonly silent: ReadonlySet<Socket>
  wake(port: number): void
  /** The same, and those that have come before pass as well. */
  wakeForAll(port: number): void
}

async function startSilentServer(t: Test): Promise<SilentServer> {
  const silent = new Set<Socket>()
  const all = new Set<Socket>()
  let target: number | undefined
  const pass = (near: Socket, port: number) => {
    const far = connect(port, '127.0.0.1')
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
    count: () => all.size,
    silent,
    wake(port) {
      target = port
    },
    wakeForAll(port) {
      target = port
      for (const socket of silent) pass(socket, port)
    },
  }
}

t.jobs = 4

t.test(
  'a connection on which the server is silent is destroyed, and another attempt made',
  async (t) => {
    const server = await startSilentServer(t)
    const channel = new RpcChannel(server.address, { name: 'the echo' })
    t.teardown(async () => channel.close())
    const { echo } = channel.client(EchoDefinition)
    await t.rejects(echo('a', { timeoutMs: 1500 }))
    server.wake(await startEcho(t))
    await waitFor(async () => (await echo('a', { timeoutMs: 100 }).catch(() => '')) === 'a')
    await waitFor(() => server.silent.size === 0)
  },
)

t.test('an idle connection stays', async (t) => {
  const server = await startSilentServer(t)
  server.wake(await startEcho(t))
  const channel = new RpcChannel(server.address, { name: 'the echo' })
  t.teardown(async () => channel.close())
  const { echo } = channel.client(EchoDefinition)
  await echo('a')
  await sleep(1500)
  t.equal(await echo('b'), 'b')
  t.equal(server.count(), 1, 'it is the same one')
})

/** A client that waits for its connection for ever. */
function openClient(address: string): Client {
  const options = { 'grpc.use_local_subchannel_pool': 1 }
  return new Client(address, credentials.createInsecure(), options)
}

const stateOf = (client: Client) => client.getChannel().getConnectivityState(false)
const isReady = (client: Client) => stateOf(client) === connectivityState.READY
const isClosed = (client: Client) => stateOf(client) === connectivityState.SHUTDOWN

t.test('other attempts start while one makes no progress', async (t) => {
  const nowhere = await startSilentServer(t)
  const port = await startEcho(t)
  const addresses = [nowhere.address, nowhere.address, nowhere.address, `127.0.0.1:${port}`]
  const opened: Client[] = []
  const connection = new Connection(() => {
    const client = openClient(addresses[opened.length] ?? '')
    opened.push(client)
    return client
  })
  t.teardown(async () => connection.close())
  await waitFor(() => isReady(connection.client))
  t.equal(connection.client, opened[3])
  t.ok(opened.slice(0, 3).every(isClosed), 'the others are closed')
})

t.test('a slow attempt goes on beside the others', async (t) => {
  const slow = await startSilentServer(t)
  const nowhere = await startSilentServer(t)
  const opened: Client[] = []
  const connection = new Connection(() => {
    const client = openClient(opened.length === 0 ? slow.address : nowhere.address)
    opened.push(client)
    return client
  })
  t.teardown(async () => connection.close())
  await sleep(2500)
  slow.wakeForAll(await startEcho(t))
  await waitFor(() => isReady(connection.client))
  t.equal(connection.client, opened[0])
  t.ok(opened.length > 1)
})
