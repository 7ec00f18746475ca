import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { SvcError } from './api/error.ts'
import { Connection, type ConnectionTimes } from './connection.ts'
import type { Transfer } from './transfer.ts'

/** What a stream or a poll does. */
type Work = (transfer: Transfer) => Promise<void>

const refusal = (status: number) => new SvcError(`HTTP ${status}`, { status, code: 0 })

/** A stream that brings something and goes on. */
const lasting: Work = (transfer) => {
  transfer.touch()
  return ended(transfer)
}

/** Rejects when it is ended. */
function ended({ signal }: Transfer): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')))
  })
}

function start(
  t: Test,
  times: Partial<ConnectionTimes>,
  stream: Work,
  poll: Work = async () => {},
) {
  const state = {
    ...{ stream, poll, ageMs: Number.POSITIVE_INFINITY, tokenHasChanged: false },
    ...{ isAwaited: false, isHidden: false },
    ...{ streams: 0, polls: 0, beats: 0 },
    failures: [] as [status: number, isRefusal: boolean][],
  }
  const connection = new Connection({
    feed: {
      readStream: async (transfer) => {
        state.streams++
        await state.stream(transfer)
      },
      poll: async (transfer) => {
        state.polls++
        await state.poll(transfer)
      },
    },
    tokens: {
      get: async () => undefined,
      renew: async () => false,
      hasChanged: async () => state.tokenHasChanged,
      close() {},
    },
    ageMs: () => state.ageMs,
    isAwaited: () => state.isAwaited,
    isHidden: () => state.isHidden,
    onBeat: () => void state.beats++,
    onFailure: ({ status }, isRefusal) => void state.failures.push([status, isRefusal]),
    times: { beatMs: 5, ...times },
  })
  // Those of the connection let a process end.
  const timer = setInterval(() => {}, 1000)
  t.teardown(() => {
    clearInterval(timer)
    connection.close()
  })
  return { connection, state }
}

t.test('a stream that ends is opened again', async (t) => {
  t.intercept(Math, 'random', { value: () => 0 })
  const { state } = start(t, {}, async (transfer) => transfer.touch())
  await waitFor(() => state.streams === 3)
  t.strictSame(state.failures, [])
})

t.test('a refusal is told, and tried again when the credential is another', async (t) => {
  for (const status of [400, 401, 403, 404]) {
    const { state, connection } = start(t, {}, async () => {
      throw refusal(status)
    })
    await waitFor(() => state.failures.length === 1)
    await sleep(50)
    t.strictSame(state.failures, [[status, true]])
    t.equal(state.polls, 0, 'nor is it asked for otherwise')
    state.stream = lasting
    state.tokenHasChanged = true
    await waitFor(() => connection.isStreaming)
    t.equal(state.streams, 2)
  }
})

t.test('and after a while in any case', async (t) => {
  const { state } = start(t, { refusedRetryMs: 20 }, async () => {
    throw refusal(403)
  })
  await waitFor(() => state.failures.length === 3)
})

t.test('where there are too many streams, there is a poll at once', async (t) => {
  for (const status of [503, 429]) {
    const { state } = start(t, { pollMs: 1000 }, async () => {
      throw refusal(status)
    })
    await waitFor(() => state.streams === 2)
    t.equal(state.polls, 1)
    t.strictSame(state.failures[0], [status, false])
  }
})

t.test('while nothing comes, there is a poll now and then', async (t) => {
  const { state } = start(t, { pollMs: 30, firstPollMs: 20 }, ended)
  await waitFor(() => state.polls === 1)
  t.equal(state.streams, 1)
  state.ageMs = 0
  await sleep(60)
  t.ok(state.polls <= 2, 'but not of what is fresh')
  state.ageMs = 30
  await waitFor(() => state.polls === 4)
})

t.test('a stream that brings a large namespace is not silent', async (t) => {
  const { state } = start(t, { firstPollMs: 50, maxSilenceMs: 50 }, async (transfer) => {
    for (let i = 0; i < 15; i++) {
      transfer.touch()
      await sleep(10)
    }
    await ended(transfer)
  })
  await sleep(120)
  t.equal(state.polls, 0)
  t.equal(state.streams, 1)
})

t.test('streams that a proxy buffers are tried less often, until something changes', async (t) => {
  t.intercept(Math, 'random', { value: () => 0 })
  const times = { maxSilenceMs: 20, pollMs: 40, firstPollMs: 40, streamRetryMs: 100_000 }
  const { state } = start(t, times, ended)
  await waitFor(() => state.failures.length === 2)
  t.strictSame(state.failures, [
    [0, false],
    [0, false],
  ])
  const { polls } = state
  await waitFor(() => state.polls > polls + 2)
  t.equal(state.streams, 2)
  // The network was interrupted, so it may be another one.
  state.poll = async () => {
    throw refusal(502)
  }
  await waitFor(() => state.polls > polls + 4)
  t.equal(state.streams, 2)
  state.poll = async () => {}
  await waitFor(() => state.streams === 3)
})

t.test('what is awaited is asked for at each beat, unless a stream brings it', async (t) => {
  const times = { pollMs: 100_000, firstPollMs: 100_000 }
  const { state } = start(t, times, ended)
  await sleep(30)
  t.equal(state.polls, 0)
  state.isAwaited = true
  await waitFor(() => state.polls >= 3)
  state.isAwaited = false
  const { polls } = state
  await sleep(30)
  t.ok(state.polls <= polls + 1)
  const other = start(t, times, lasting)
  other.state.isAwaited = true
  await sleep(30)
  t.equal(other.state.polls, 0)
})

t.test('an answer that does not end is given up', async (t) => {
  const { connection, state } = start(t, { maxSilenceMs: 20 }, ended, ended)
  await connection.poll()
  await connection.poll()
  t.ok(state.polls >= 2)
})

/** A connection of a page, which the test hides; its beats come at once. */
function startPage(t: Test) {
  const now = performance.now.bind(performance)
  let passedMs = 0
  t.intercept(performance, 'now', { value: () => now() + passedMs })
  const { connection, state } = start(t, {}, lasting)
  const pass = async (ms: number) => {
    passedMs += ms
    const { beats } = state
    await waitFor(() => state.beats > beats + 1)
  }
  return { connection, state, pass }
}

t.test('a page that is hidden for two minutes has no stream until it is seen', async (t) => {
  const { connection, state, pass } = startPage(t)
  for (let i = 0; i < 2; i++) {
    state.isHidden = true
    await pass(60_000)
    t.equal(connection.isStreaming, true)
    state.isHidden = false
    await pass(1000)
  }
  t.equal(state.streams, 1, 'one that is hidden now and then keeps it')
  state.isHidden = true
  await pass(120_000)
  t.equal(connection.isStreaming, false)
  state.ageMs = 60_000
  const { polls } = state
  await pass(600_000)
  t.match(state, { streams: 1, polls, failures: [] }, 'and asks for nothing')

  state.isAwaited = true
  await waitFor(() => state.polls > polls)
  state.isAwaited = false
  t.equal(state.streams, 1, 'but what is waited for')
  state.isHidden = false
  await waitFor(() => connection.isStreaming)
  t.match(state, { streams: 2, failures: [] })
})

t.test('a page may be closed while it is hidden', async (t) => {
  const { connection, state, pass } = startPage(t)
  state.isHidden = true
  await pass(120_000)
  t.equal(connection.isStreaming, false)
  connection.close()
  state.isHidden = false
  await sleep(20)
  t.match(state, { streams: 1, failures: [] })
})

t.test('nothing happens after it is closed', async (t) => {
  const { connection, state } = start(t, { pollMs: 5, firstPollMs: 5 }, lasting)
  await waitFor(() => connection.isStreaming)
  connection.close()
  await connection.poll()
  await sleep(50)
  t.equal(state.streams, 1)
  t.equal(state.polls, 0)
  t.strictSame(state.failures, [])
})
