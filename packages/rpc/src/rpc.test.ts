import { AppError, unavailable } from '@svc/runtime'
import { pino } from 'pino'
import t from 'tap'
import { maxMessageBytes, RpcChannel } from './channel.ts'
import type { CallContext, MessageType, Trailers } from './definition.ts'
import { unprotected } from './protection.ts'
import { RpcServer } from './server.ts'

const text: MessageType<{ text: string }> = {
  encode: (message) => ({ finish: () => Buffer.from(message.text) }),
  decode: (bytes) => ({ text: Buffer.from(bytes).toString() }),
}

const method = { requestType: text, requestStream: false, responseType: text } as const

const EchoDefinition = {
  fullName: 'test.Echo',
  methods: {
    echo: { ...method, name: 'Echo', responseStream: false },
    fail: { ...method, name: 'Fail', responseStream: false },
    crash: { ...method, name: 'Crash', responseStream: false },
    away: { ...method, name: 'Away', responseStream: false },
    hang: { ...method, name: 'Hang', responseStream: false },
    fill: { ...method, name: 'Fill', responseStream: false },
    count: { ...method, name: 'Count', responseStream: true },
  },
} as const

/** Long enough for a reader that is alive on a busy machine. */
const slowReaderMs = 1000

const forever = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

/** Handlers that a test does not call. */
const unused = {
  fail: () => Promise.reject(new Error('called')),
  crash: () => Promise.reject(new Error('called')),
  away: () => Promise.reject(new Error('called')),
  hang: () => Promise.reject(new Error('called')),
  fill: () => Promise.reject(new Error('called')),
}

t.test('RPC', async (t) => {
  const hung: CallContext[] = []
  let counting = 0
  let awayCalls = 0
  const log = pino({ level: 'silent' })
  const server = new RpcServer({ log, protection: unprotected, slowReaderMs }).add(EchoDefinition, {
    async echo(request, context) {
      context.setTrailer('svc-revision', 'default:7')
      context.addTrailer('svc-note', 'one')
      return { text: `${request.text} ${context.get('who') ?? ''}`.trim() }
    },
    async fail({ text }, context) {
      for (const value of ['a=1, 2', '', 'b=ü']) context.addTrailer('svc-note', value)
      throw new AppError('not_found', 'flag_not_found', `flag "${text}" not found`)
    },
    async away() {
      awayCalls += 1
      throw unavailable('the database is not available')
    },
    async crash(_request, context) {
      context.addTrailer('svc-note', 'half done')
      throw new TypeError('secret detail')
    },
    async fill({ text }) {
      return { text: ' '.repeat(Number(text)) }
    },
    hang: async (_request, context) => {
      hung.push(context)
      return await forever(context.signal)
    },
    async *count({ text }) {
      try {
        for (let i = 0; text === 'forever' || i < Number(text); i++) {
          counting = i
          yield { text: String(i).padEnd(100_000) }
        }
      } finally {
        counting = -1
      }
    },
  })
  const port = await server.listen('127.0.0.1:0')
  const channel = new RpcChannel(`127.0.0.1:${port}`, { name: 'the echo service' })
  const echo = channel.client(EchoDefinition)
  t.teardown(async () => {
    channel.close()
    await server.close()
  })

  await t.test('carries a request, its metadata and the answer', async (t) => {
    t.strictSame(await echo.echo({ text: 'hi' }, { metadata: { who: 'bob' } }), { text: 'hi bob' })
  })

  await t.test('carries bytes and trailers for a caller that does not decode', async (t) => {
    const answer = await channel.call('/test.Echo/Echo', Buffer.from('ü'))
    t.equal(Buffer.from(answer.bytes).toString(), 'ü')
    t.equal(answer.trailer('svc-revision'), 'default:7')
  })

  await t.test('carries an error with its code, reason and message', async (t) => {
    const refused = { code: 'not_found', reason: 'flag_not_found', message: 'flag "é" not found' }
    await t.rejects(echo.fail({ text: 'é' }), refused)
  })

  await t.test('carries any number of values after an answer and after a refusal', async (t) => {
    const notes: (readonly string[])[] = []
    const onTrailers = (trailers: Trailers) => notes.push(trailers('svc-note'), trailers('other'))
    await echo.echo({ text: '' }, { onTrailers })
    await t.rejects(echo.fail({ text: '' }, { onTrailers }))
    t.strictSame(notes, [['one'], [], ['a=1, 2', '', 'b=ü'], []])
    notes.length = 0
    await t.rejects(echo.crash({ text: '' }, { onTrailers }))
    t.strictSame(notes, [[], []], 'but not after a defect')
  })

  await t.test('hides the message of an unexpected error', async (t) => {
    await t.rejects(echo.crash({ text: '' }), { code: 'internal', message: 'internal error' })
  })

  await t.test('ends at the timeout, and aborts the handler', async (t) => {
    const late = { code: 'deadline_exceeded', message: /did not answer in time/ }
    await t.rejects(echo.hang({ text: '' }, { timeoutMs: 50 }), late)
    await new Promise((resolve) => setTimeout(resolve, 100))
    t.equal(hung[0]?.signal.aborted, true)
  })

  await t.test('carries 64 MiB, and refuses more with a message', async (t) => {
    const patient = { timeoutMs: 20_000 }
    t.equal((await echo.fill({ text: String(maxMessageBytes) }, patient)).text.length, 2 ** 26)
    const message = 'the answer is too large; ask for pages with limit'
    const refused = { code: 'invalid_argument', message }
    await t.rejects(echo.fill({ text: String(maxMessageBytes + 1) }, patient), refused)
  })

  await t.test('streams messages in order, however large they are together', async (t) => {
    const seen: number[] = []
    for await (const message of echo.count({ text: '50' })) seen.push(Number(message.text))
    t.strictSame(
      seen,
      Array.from({ length: 50 }, (_, i) => i),
    )
  })

  await t.test('ends a stream that its reader cancels', async (t) => {
    for await (const message of echo.count({ text: 'forever' })) {
      if (Number(message.text) === 3) break
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
    t.equal(counting, -1)
  })

  await t.test(
    'ends the stream of a reader that does not read, and buffers little for it',
    async (t) => {
      const stream = echo.count({ text: 'forever' })[Symbol.asyncIterator]()
      t.equal(Number((await stream.next()).value?.text), 0)
      await new Promise((resolve) => setTimeout(resolve, slowReaderMs / 2))
      const kept = counting
      await new Promise((resolve) => setTimeout(resolve, slowReaderMs * 1.5))
      t.equal(counting, -1, 'the handler has been ended')
      const late: number[] = []
      const readOn = async () => {
        for (;;) late.push(Number((await stream.next()).value?.text))
      }
      await t.rejects(readOn(), { code: 'resource_exhausted', reason: 'too_slow' })
      t.ok(late.length <= kept + 1, `${late.length} of ${kept} were on their way`)
      t.ok(kept < 40, `${kept} had been made`)
    },
  )

  await t.test(
    'does not retry a call that a service refused for want of a dependency',
    async (t) => {
      const retried = [{ service: EchoDefinition.fullName }]
      const trying = new RpcChannel(`127.0.0.1:${port}`, { name: 'the echo service', retried })
      t.teardown(() => trying.close())
      const refused = { code: 'unavailable', message: 'the database is not available' }
      await t.rejects(trying.client(EchoDefinition).away({ text: '' }), refused)
      t.equal(awayCalls, 1)
    },
  )

  await t.test('shows no addresses in the error of a dead service', async (t) => {
    const dead = new RpcChannel('127.0.0.1:1', { name: 'the echo service' })
    t.teardown(() => dead.close())
    const refused = { code: 'unavailable', message: 'the echo service is unavailable, try again' }
    await t.rejects(dead.client(EchoDefinition).echo({ text: '' }), refused)
  })
})

t.test('authorizeCall decides about a call and names its caller', async (t) => {
  const server = new RpcServer({
    log: pino({ level: 'silent' }),
    protection: unprotected,
    authorizeCall: (service, { name }, request, context) => {
      if (name === 'Fail') throw new AppError('permission_denied', 'refused', 'not allowed')
      const { text } = request as { text: string }
      return { who: `${context.get('who')} of ${service.fullName} with ${text}` }
    },
  }).add(EchoDefinition, {
    ...unused,
    echo: async (_request, { caller }) => ({ text: caller.who }),
    async *count(_request, { caller }) {
      yield { text: caller.who }
    },
  })
  const port = await server.listen('127.0.0.1:0')
  const channel = new RpcChannel(`127.0.0.1:${port}`, { name: 'the echo service' })
  const echo = channel.client(EchoDefinition)
  t.teardown(async () => {
    channel.close()
    await server.close()
  })
  const options = { metadata: { who: 'bob' } }
  t.strictSame(await echo.echo({ text: 'a' }, options), { text: 'bob of test.Echo with a' })
  const counted = []
  for await (const message of echo.count({ text: 'b' }, options)) counted.push(message)
  t.strictSame(counted, [{ text: 'bob of test.Echo with b' }])
  const refused = { code: 'permission_denied', reason: 'refused', message: 'not allowed' }
  await t.rejects(echo.fail({ text: 'c' }), refused)
})
