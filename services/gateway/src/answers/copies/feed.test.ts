import { setImmediate as nextTurn } from 'node:timers/promises'
import { createLogger, EventLoopScheduler, Limiter, unavailable } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import type { FastifyReply } from 'fastify'
import t, { type Test } from 'tap'
import type { Identities } from '../../identity/identities.ts'
import type { Replica } from '../../replica/replica.ts'
import { CallerStreams, type StreamCaller } from '../../streams/caller-streams.ts'
import { EventStreams } from '../../streams/event-streams.ts'
import { FakeSocket } from '../../streams/testing.ts'
import { currentForm } from '../snapshot/form.ts'
import { applyTo, booleanState, stateOf } from '../snapshot/testing.ts'
import { CopyFeed } from './feed.ts'
import { Wholes } from './wholes.ts'

/** As in a gateway. */
const maxAtOnce = 16
const maxSliceBytes = 300 * 1024
const clientCount = 100

/** Clients of one namespace at revision 1, which read nothing. */
async function openClients(t: Test, maxWaitMs: number) {
  const state = stateOf('large', 1, {})
  const scheduler = new EventLoopScheduler()
  let onChange = (_: object) => {}
  const replica = {
    scheduler,
    isCurrent: true,
    namespace: () => state,
    revisionOf: () => state.revision,
    waitFor: async () => true,
    onChange: (listener: typeof onChange) => {
      onChange = listener
    },
  } as unknown as Replica
  const all = new EventStreams({ heartbeatMs: 3_600_000 })
  t.teardown(() => all.close())
  const identities = { onRevoked: () => {} } as unknown as Identities
  const shares = { maxStreamsPerCaller: 1000, maxStreamsPerNamespace: 1000 }
  const newLimiter = () =>
    new Limiter({
      maxRunning: 2 * maxAtOnce,
      maxRunningPerKey: maxAtOnce,
      maxWaitMs,
      refuse: () => unavailable('too many'),
    })
  const feed = new CopyFeed({
    replica,
    wholes: new Wholes(scheduler),
    limiter: newLimiter(),
    changeLimiter: newLimiter(),
    streams: new CallerStreams(all, identities, shares),
    log: createLogger({ level: 'silent', encoding: 'json' }, 'test'),
  })
  const caller = { namespaceKey: 'large', address: '' } as StreamCaller
  const open = (since: number | undefined) => {
    const socket = new FakeSocket()
    const raw = { socket, removeAllListeners() {} }
    const reply = { raw, hijack() {}, getHeaders: () => ({}) } as unknown as FastifyReply
    const opened = feed.open(reply, caller, currentForm, since)
    return { socket, opened }
  }
  const sockets: FakeSocket[] = []
  for (let i = 0; i < clientCount; i++) {
    const { socket, opened } = open(1)
    await opened
    // It reads the head of the answer.
    socket.take()
    sockets.push(socket)
  }
  const change = (revision: number, count: number, name: string) => {
    const flags = Array.from({ length: count }, (_, i) => booleanState(`f-${i}`, i, name))
    applyTo(state, revision, { flags })
    onChange({ namespaceKey: 'large', revision })
  }
  return { sockets, open, change, all }
}

const heldBy = (sockets: readonly FakeSocket[]) =>
  sockets.reduce((sum, { writableLength }) => sum + writableLength, 0)
const busy = (sockets: readonly FakeSocket[]) =>
  sockets.filter(({ writableLength }) => writableLength > 0)
const hasGot = ({ taken }: FakeSocket, event: string) =>
  taken.some((piece) => piece.includes(event))

/** Gives everything time that can go on without the clients. */
async function settle(sockets: readonly FakeSocket[]) {
  await waitFor(() => busy(sockets).length > 0)
  for (let turn = 0; turn < 1000; turn++) await nextTurn()
}

const large = 'x'.repeat(20_000)
const flagCount = 70
const idsIn = (socket: FakeSocket) =>
  Array.from(socket.text().matchAll(/^id: (\d+)$/gm), ([, id]) => id)

t.test('a large change is sent to a bounded number of clients at once, and to all', async (t) => {
  const { sockets, change, all } = await openClients(t, 60_000)
  change(2, flagCount, large)
  await settle(sockets)
  t.equal(busy(sockets).length, maxAtOnce)
  t.ok(heldBy(sockets) <= maxAtOnce * maxSliceBytes, `${heldBy(sockets)} bytes`)
  change(3, 1, 'small')
  await settle(sockets)
  t.ok(heldBy(sockets) <= maxAtOnce * maxSliceBytes, `${heldBy(sockets)} bytes`)
  for (const socket of sockets) socket.read()
  await waitFor(() => sockets.every((socket) => hasGot(socket, '"revision":3,')))
  t.ok(sockets.every((socket) => idsIn(socket).join() === '1,2,3'))
  const [first, ...others] = sockets.map((socket) => socket.text().split('id: 2')[1])
  t.ok((first?.length ?? 0) > flagCount * large.length)
  t.ok(others.every((text) => text === first))
  t.equal(all.size, clientCount)
})

t.test('clients whose turn does not come return, and miss nothing', async (t) => {
  const { sockets, open, change, all } = await openClients(t, 100)
  change(2, flagCount, large)
  await waitFor(() => all.size === maxAtOnce)
  t.ok(heldBy(sockets) <= maxAtOnce * maxSliceBytes, `${heldBy(sockets)} bytes`)
  const ended = sockets.filter(({ writableEnded }) => writableEnded)
  t.equal(ended.length, clientCount - maxAtOnce)
  t.ok(ended.every((socket) => idsIn(socket).join() === '1'))
  const returned = Array.from({ length: maxAtOnce }, () => open(1))
  for (const { socket } of returned) socket.read()
  await Promise.all(returned.map(({ opened }) => opened))
  t.ok(returned.every(({ socket }) => idsIn(socket).join() === '2'))
  t.ok(returned.every(({ socket }) => socket.text().length > flagCount * large.length))
})
