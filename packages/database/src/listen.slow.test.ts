import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { listen } from './listen.ts'
import { createTestDatabase } from './testing.ts'

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

interface Options {
  readonly channel?: string
  readonly url?: string
  readonly onConnect?: () => Promise<void>
}

/** Listens, and waits for what is received. */
async function startListening(t: Test, { channel = 'changes', url, onConnect }: Options = {}) {
  const db = await createTestDatabase(t)
  const events: string[] = []
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const ended = listen(url ?? db.url, channel, {
    signal: stop.signal,
    log,
    onNotification: (payload) => events.push(payload),
    async onConnect() {
      events.push('connected')
      await onConnect?.()
    },
  })
  const received = async (count: number) => {
    await waitFor(() => events.length >= count)
    return events
  }
  const notify = (payload: string) => db.query('SELECT pg_notify($1, $2)', [channel, payload])
  const backend = async () => {
    const [row] = await db.query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()',
      [`listen ${channel}`],
    )
    return row?.pid ?? 0
  }
  return { db, events, received, notify, backend, stop, ended }
}

t.test('receives notifications after it has connected', async (t) => {
  const { received, notify } = await startListening(t, { channel: `odd "channel"; DROP TABLE x` })
  t.strictSame(await received(1), ['connected'])
  await notify('one')
  await notify('two')
  t.strictSame(await received(3), ['connected', 'one', 'two'])
})

t.test('reconnects when the connection is lost', async (t) => {
  const { db, received, notify, backend } = await startListening(t)
  await received(1)
  await db.query('SELECT pg_terminate_backend($1, 5000)', [await backend()])
  t.strictSame(await received(2), ['connected', 'connected'])
  await notify('after')
  t.strictSame(await received(3), ['connected', 'connected', 'after'])
})

t.test('notices a server that does not answer', async (t) => {
  const { received, backend } = await startListening(t)
  await received(1)
  const pid = await backend()
  process.kill(pid, 'SIGSTOP')
  t.teardown(() => process.kill(pid, 'SIGCONT'))
  t.strictSame(await received(2), ['connected', 'connected'])
})

t.test('reconnects when onConnect fails', async (t) => {
  let attempts = 0
  const onConnect = async () => {
    attempts += 1
    if (attempts < 3) throw new Error('not yet')
  }
  const { received } = await startListening(t, { onConnect })
  t.strictSame(await received(3), ['connected', 'connected', 'connected'])
})

t.test('ends without an error at any point, connected or not', async (t) => {
  const { received, stop, ended, backend, db } = await startListening(t)
  await received(1)
  stop.abort()
  await ended
  t.equal(await backend(), 0)
  for (let delayMs = 0; delayMs < 30; delayMs += 1) {
    const signal = AbortSignal.timeout(delayMs)
    await t.resolves(
      listen(db.url, 'changes', { signal, log, onNotification: () => {}, onConnect: () => {} }),
    )
  }
  const none = await startListening(t, { url: 'postgres://unknown@127.0.0.1:1/none' })
  await sleep(200)
  none.stop.abort()
  await none.ended
  t.strictSame(none.events, [])
})
