import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import type { CallContext } from './definition.ts'
import { unprotected } from './protection.ts'
import type { Resolution } from './resolver.ts'
import { RpcServer } from './server.ts'
import { openChannel, silentLog, streaming, unary } from './text-service.test.support.ts'

const ReplicaDefinition = {
  fullName: 'test.Replica',
  methods: { which: unary('Which'), wait: unary('Wait'), follow: streaming('Follow') },
} as const

const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']
const [a = '', b = '', c = '', d = ''] = addresses

t.test('all forms of an address are called', async (t) => {
  const { port } = await start(t, [a])
  const forms: Readonly<Record<string, readonly string[]>> = {
    [`${a}:${port}`]: [a],
    [`dns:${a}:${port}`]: [a],
    [`dns:///${a}:${port}`]: [a],
    [`ipv4:${a}:${port}`]: [a],
    [`ipv4:${a}:${port},${b}:${port}`]: [a, b],
    [`replicas:${port}`]: [a],
    [`dns:replicas:${port}`]: [a],
    [`dns:///replicas:${port}`]: [a],
  }
  for (const [form, expected] of Object.entries(forms)) {
    const { settled } = open(t, form, { ...resolution, lookUp: async () => [a] })
    await settled(expected)
    t.pass(form)
  }
})

t.test('calls go to every replica that the name has now, whatever their order', async (t) => {
  const { name, find, settled } = await start(t, [a, b])
  await settled([a, b])
  t.strictSame(await find(8), { [a]: 4, [b]: 4 })
  name.addresses = [d, b, c, a]
  await settled([a, b, c, d])
  t.strictSame(await find(8), { [a]: 2, [b]: 2, [c]: 2, [d]: 2 })
  name.addresses = [c, d]
  await settled([c, d])
  t.strictSame(await find(8), { [c]: 4, [d]: 4 })
})

t.test('a lookup that fails or finds nothing changes nothing', async (t) => {
  const { name, find, settled } = await start(t, [a, b])
  await settled([a, b])
  for (const addresses of [new Error('ENOTFOUND'), [], [a, b, b, a]]) {
    name.addresses = addresses
    await name.lookedUp(2)
    t.strictSame(await find(8), { [a]: 4, [b]: 4 })
  }
})

t.test('a name that cannot be looked up at first is looked up again', async (t) => {
  const { name, client } = await start(t, new Error('EAI_AGAIN'))
  await t.rejects(client.which(''), {
    code: 'unavailable',
    message: 'the replicas is unavailable, try again',
  })
  name.addresses = [a]
  t.equal(await client.which('', { waitsForConnection: true, timeoutMs: 10_000 }), a)
})

t.test('one lookup of a name is in progress at a time, however long it takes', async (t) => {
  const { port } = await start(t, [a])
  const { promise: addresses, resolve } = Promise.withResolvers<readonly string[]>()
  let lookups = 0
  const lookUp = () => {
    lookups += 1
    return addresses
  }
  const { client } = open(t, `replicas:${port}`, { ...resolution, lookUp })
  // Another client of the channel tries each second.
  await sleep(3500)
  t.equal(lookups, 1)
  resolve([a])
  t.equal(await client.which('', { waitsForConnection: true, timeoutMs: 10_000 }), a)
  await waitFor(() => lookups > 1)
})

t.test('calls in progress continue at a replica that is removed from the name', async (t) => {
  const { name, client, release, settled } = await start(t, [a])
  const waiting = client.wait('')
  const following = client.follow('')[Symbol.asyncIterator]()
  t.equal((await following.next()).value, a)
  name.addresses = [b]
  await settled([b])
  release()
  t.equal(await waiting, a)
  t.equal((await following.next()).value, a)
  await following.return?.()
})

t.test('a draining replica gets no new calls, and is found again after its restart', async (t) => {
  const { settled, find, client, servers, launch, release } = await start(t, [a, b])
  await settled([a, b])
  const server = servers.get(a)
  const waiting = client.wait('')
  const others = client.wait('')
  const drained = server?.drain(500)
  await settled([b])
  t.strictSame(await find(8), { [b]: 8 })
  release()
  t.strictSame([await waiting, await others].sort(), [a, b], 'calls in progress are answered')
  await drained
  await server?.close()
  await launch(a)
  await settled([a, b])
})

t.test('the last replica is called for as long as it is there', async (t) => {
  const { find, servers } = await start(t, [a])
  void servers.get(a)?.drain(60_000)
  t.strictSame(await find(8), { [a]: 8 })
})

/** Often, for it is not what takes the time here. */
const resolution = { intervalMs: 50, minPauseMs: 10 }

/** Replicas at all addresses, and a channel to those of a name. */
async function start(t: Test, initial: readonly string[] | Error) {
  const port = await freePort()
  const waiting: (() => void)[] = []
  const launch = async (address: string) => {
    const server = new RpcServer({ log: silentLog, protection: unprotected })
    server.add(ReplicaDefinition, {
      which: async () => address,
      async wait() {
        await new Promise<void>((resolve) => waiting.push(resolve))
        return address
      },
      async *follow(_message: string, { signal }: CallContext) {
        while (!signal.aborted) {
          yield address
          await sleep(50, undefined, { signal }).catch(() => {})
        }
      },
    })
    await server.listen(`${address}:${port}`)
    t.teardown(() => server.close())
    return server
  }
  const servers = new Map<string, RpcServer>()
  for (const address of addresses) servers.set(address, await launch(address))
  const name = {
    addresses: initial,
    count: 0,
    /** Waits for that many lookups more. */
    async lookedUp(times: number) {
      const end = name.count + times
      await waitFor(async () => name.count >= end)
    },
  }
  const lookUp = async (host: string) => {
    if (host !== 'replicas') throw new Error(`${host} is looked up`)
    name.count += 1
    if (name.addresses instanceof Error) throw name.addresses
    return name.addresses
  }
  return {
    port,
    name,
    servers,
    launch,
    ...open(t, `replicas:${port}`, { ...resolution, lookUp }),
    /** Ends all calls of `wait`. */
    release() {
      for (const resolve of waiting.splice(0)) resolve()
    },
  }
}

function open(t: Test, address: string, resolution: Resolution) {
  const client = openChannel(t, address, { name: 'the replicas', resolution }).client(
    ReplicaDefinition,
  )
  /** Makes that many calls. @returns the number of answers of each replica */
  const find = async (calls: number) => {
    const found: Record<string, number> = {}
    for (let i = 0; i < calls; i++) {
      const address = await client.which('')
      found[address] = (found[address] ?? 0) + 1
    }
    return Object.fromEntries(Object.entries(found).sort())
  }
  return {
    client,
    find,
    /** Waits until exactly these are called. */
    settled: (expected: readonly string[]) =>
      waitFor(async () => {
        // It may take a second, which many calls would use up.
        await sleep(20)
        return Object.keys(await find(8)).join() === expected.join()
      }),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
