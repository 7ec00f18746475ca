import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger } from '@svc/runtime'
import t, { type Test } from 'tap'
import { listen } from './listen.ts'
import { createTestDatabase } from './testing.ts'

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

/** Listens, and offers to wait for what is heard. */
async function startListening(t: Test, channel = 'changes') {
  const db = await createTestDatabase(t)
  const events: string[] = []
  const stop = new AbortController()
  const ended = listen(db.url, channel, {
    signal: stop.signal,
    log,
    onNotification: (payload) => events.push(payload),
    onConnect: () => {
      events.push('connected')
    },
  })
  t.teardown(() => stop.abort())
  const heard = async (count: number, withinMs: number) => {
    const deadline = performance.now() + withinMs
    while (events.length < count && performance.now() < deadline) await sleep(10)
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
  return { db, heard, notify, backend, stop, ended }
}

t.test('receives notifications after it has connected', async (t) => {
  const { heard, notify } = await startListening(t, `odd "channel"; DROP TABLE x`)
  t.strictSame(await heard(1, 5000), ['connected'])
  await notify('one')
  await notify('two')
  t.strictSame(await heard(3, 1000), ['connected', 'one', 'two'])
})

t.test('reconnects when the connection is lost, and logs it', async (t) => {
  const { db, heard, notify, backend } = await startListening(t)
  await heard(1, 5000)
  await db.query('SELECT pg_terminate_backend($1, 5000)', [await backend()])
  t.strictSame(await heard(2, 2000), ['connected', 'connected'])
  await notify('after')
  t.strictSame(await heard(3, 1000), ['connected', 'connected', 'after'])
})

t.test('notices a server that does not answer', async (t) => {
  const { heard, backend } = await startListening(t)
  await heard(1, 5000)
  const pid = await backend()
  process.kill(pid, 'SIGSTOP')
  t.teardown(() => process.kill(pid, 'SIGCONT'))
  t.strictSame(await heard(2, 9000), ['connected', 'connected'])
})

t.test('reconnects when onConnect fails', async (t) => {
  const db = await createTestDatabase(t)
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  let attempts = 0
  await listen(db.url, 'changes', {
    signal: stop.signal,
    log,
    onNotification: () => {},
    async onConnect() {
      attempts += 1
      if (attempts < 3) throw new Error('not yet')
      stop.abort()
    },
  })
  t.equal(attempts, 3)
})

t.test('ends when its signal aborts, connected or not', async (t) => {
  const { heard, stop, ended, backend } = await startListening(t)
  await heard(1, 5000)
  stop.abort()
  await ended
  t.equal(await backend(), 0)

  const away = new AbortController()
  const trying = listen('postgres://nobody@127.0.0.1:1/none', 'changes', {
    signal: away.signal,
    log,
    onNotification: () => t.fail('nothing to hear'),
    onConnect() {
      t.fail('nothing to connect to')
    },
  })
  await sleep(200)
  away.abort()
  await trying
})

t.test('ends without an error at any point', async (t) => {
  const { url } = await createTestDatabase(t)
  for (let delayMs = 0; delayMs < 30; delayMs += 1) {
    const stop = new AbortController()
    const ended = listen(url, 'changes', {
      signal: stop.signal,
      log,
      onNotification: () => {},
      onConnect: () => {},
    })
    await sleep(delayMs)
    stop.abort()
    await t.resolves(ended)
  }
})
