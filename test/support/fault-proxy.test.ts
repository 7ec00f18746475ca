import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { listen } from './listen.ts'

/** Long enough to be sure that nothing more comes. */
const quietMs = 150

async function startEcho(t: Test): Promise<FaultProxy> {
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket))
  return startFaultProxy(t, await listen(t, server))
}

interface Caller {
  readonly socket: Socket
  received: string
  /** How the connection ended: the code of the error, or `closed`. */
  ending: string | undefined
}

async function dial(t: Test, { address }: FaultProxy): Promise<Caller> {
  const socket = connect(Number(address.split(':')[1]), '127.0.0.1')
  const caller: Caller = { socket, received: '', ending: undefined }
  socket.setEncoding('latin1').on('data', (text: string) => {
    caller.received += text
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    caller.ending = error.code
  })
  socket.on('close', () => {
    caller.ending ??= 'closed'
  })
  t.teardown(async () => {
    socket.destroy()
  })
  // It may be reset before it learns that it is connected.
  await once(socket, 'connect').catch(() => {})
  return caller
}

const stateOf = ({ received, ending }: Caller) => [received, ending]

t.test('a fault proxy', async (t) => {
  const proxy = await startEcho(t)
  t.afterEach(() => proxy.set('none'))

  await t.test('passes everything on, and the end of it', async (t) => {
    const caller = await dial(t, proxy)
    const text = 'x'.repeat(1_000_000)
    caller.socket.end(text)
    await waitFor(() => caller.ending !== undefined)
    t.equal(caller.received.length, text.length)
    t.equal(caller.ending, 'closed')
  })

  for (const [fault, ending] of [['cut', 'ECONNRESET'] as const, ['close', 'closed'] as const]) {
    await t.test(`ends open and new connections: ${fault}`, async (t) => {
      const caller = await dial(t, proxy)
      proxy.set(fault)
      const late = await dial(t, proxy)
      await waitFor(() => late.ending !== undefined && caller.ending !== undefined)
      t.strictSame([caller.ending, late.ending], [ending, ending])
    })
  }

  await t.test('drops new connections alone', async (t) => {
    const caller = await dial(t, proxy)
    caller.socket.write('a')
    await waitFor(() => caller.received === 'a')
    proxy.set('drop')
    const late = await dial(t, proxy)
    await waitFor(() => late.ending !== undefined)
    caller.socket.write('b')
    await waitFor(() => caller.received === 'ab')
    t.equal(caller.ending, undefined)
  })

  await t.test('freezes and thaws', async (t) => {
    const before = await dial(t, proxy)
    proxy.set('freeze')
    const meanwhile = await dial(t, proxy)
    for (const { socket } of [before, meanwhile]) socket.end('a')
    await sleep(quietMs)
    for (const caller of [before, meanwhile]) t.strictSame(stateOf(caller), ['', undefined])
    proxy.set('none')
    await waitFor(() => before.ending !== undefined && meanwhile.ending !== undefined)
    for (const caller of [before, meanwhile]) t.strictSame(stateOf(caller), ['a', 'closed'])
  })

  await t.test('loses connections for good', async (t) => {
    const before = await dial(t, proxy)
    proxy.set('lose')
    const meanwhile = await dial(t, proxy)
    proxy.set('none')
    const after = await dial(t, proxy)
    for (const { socket } of [before, meanwhile, after]) socket.write('a')
    await waitFor(() => after.received === 'a')
    await sleep(quietMs)
    for (const caller of [before, meanwhile]) t.strictSame(stateOf(caller), ['', undefined])
  })

  await t.test('delays', async (t) => {
    const caller = await dial(t, proxy)
    proxy.set({ delayMs: 100 })
    const sentAt = performance.now()
    caller.socket.write('a')
    await waitFor(() => caller.received === 'a')
    t.ok(performance.now() - sentAt > 195, 'there and back')
  })

  await t.test('drips', async (t) => {
    const caller = await dial(t, proxy)
    proxy.set({ bytesPerSecond: 1000 })
    caller.socket.write('x'.repeat(200))
    await sleep(quietMs)
    t.ok(caller.received.length < 150, `${caller.received.length} bytes so far`)
    await waitFor(() => caller.received.length === 200)
  })

  await t.test('makes a sender wait that is not read', async (t) => {
    const caller = await dial(t, proxy)
    proxy.set('freeze')
    caller.socket.write(Buffer.alloc(64 * 2 ** 20))
    await sleep(quietMs)
    t.ok(caller.socket.writableLength > 32 * 2 ** 20, `${caller.socket.writableLength} bytes wait`)
  })
})
