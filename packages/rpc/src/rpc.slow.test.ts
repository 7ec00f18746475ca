import { Client, compressionAlgorithms, credentials } from '@grpc/grpc-js'
import { AppError, unavailable } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { maxMessageBytes } from './channel.ts'
import type { CallContext, Handlers, Trailers } from './definition.ts'
import { type AuthorizeCall, maxRequestBytes } from './server.ts'
import { openChannel, serve, streaming, unary } from './text-service.test.support.ts'

const EchoDefinition = {
  fullName: 'test.Echo',
  methods: {
    echo: unary('Echo'),
    fail: unary('Fail'),
    crash: unary('Crash'),
    away: unary('Away'),
    hang: unary('Hang'),
    fill: unary('Fill'),
    count: streaming('Count'),
  },
} as const

/** Long enough for a working reader on a busy machine. */
const slowReaderMs = 1000

const forever = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

t.test('RPC', async (t) => {
  const hung: CallContext[] = []
  let counting = 0
  let awayCalls = 0
  const handlers: Handlers<typeof EchoDefinition> = {
    async echo(message, context) {
      context.setTrailer('svc-revision', 'default:7')
      context.addTrailer('svc-note', 'one')
      return `${message} ${context.get('who') ?? ''}`.trim()
    },
    async fail(key, context) {
      for (const value of ['a=1, 2', '', 'b=ü']) context.addTrailer('svc-note', value)
      throw new AppError('not_found', 'flag_not_found', `flag "${key}" not found`)
    },
    async away() {
      awayCalls += 1
      throw unavailable('the database is not available')
    },
    async crash(_message, context) {
      context.addTrailer('svc-note', 'half done')
      throw new TypeError('secret detail')
    },
    fill: async (length) => ' '.repeat(Number(length)),
    hang: async (_message, context) => {
      hung.push(context)
      return await forever(context.signal)
    },
    async *count(end) {
      try {
        for (let i = 0; end === 'forever' || i < Number(end); i++) {
          counting = i
          yield String(i).padEnd(100_000)
        }
      } finally {
        counting = -1
      }
    },
  }
  const address = await serve(t, EchoDefinition, handlers, { slowReaderMs })
  const channel = openChannel(t, address)
  const echo = channel.client(EchoDefinition)

  await t.test('carries a request, its metadata and the answer', async (t) => {
    t.strictSame(await echo.echo('hi', { metadata: { who: 'bob' } }), 'hi bob')
  })

  await t.test('carries bytes and trailers for a caller that does not decode', async (t) => {
    const answer = await channel.call('/test.Echo/Echo', Buffer.from('ü'))
    t.equal(Buffer.from(answer.bytes).toString(), 'ü')
    t.equal(answer.trailer('svc-revision'), 'default:7')
  })

  await t.test('carries an error with its code, reason and message', async (t) => {
    const refused = { code: 'not_found', reason: 'flag_not_found', message: 'flag "é" not found' }
    await t.rejects(echo.fail('é'), refused)
  })

  await t.test('carries any number of values after an answer and after a refusal', async (t) => {
    const notes: (readonly string[])[] = []
    const onTrailers = (trailers: Trailers) => notes.push(trailers('svc-note'), trailers('other'))
    await echo.echo('', { onTrailers })
    await t.rejects(echo.fail('', { onTrailers }))
    t.strictSame(notes, [['one'], [], ['a=1, 2', '', 'b=ü'], []])
    notes.length = 0
    await t.rejects(echo.crash('', { onTrailers }))
    t.strictSame(notes, [[], []], 'but not after a defect')
  })

  await t.test('hides the message of an unexpected error', async (t) => {
    await t.rejects(echo.crash(''), { code: 'internal', message: 'internal error' })
  })

  await t.test('ends at the timeout, and aborts the handler', async (t) => {
    const late = { code: 'deadline_exceeded', message: /did not answer in time/ }
    await t.rejects(echo.hang('', { timeoutMs: 50 }), late)
    await waitFor(() => hung[0]?.signal.aborted === true)
  })

  await t.test('carries 64 MiB, and refuses more with a message', async (t) => {
    const patient = { timeoutMs: 20_000 }
    t.equal((await echo.fill(String(maxMessageBytes), patient)).length, 2 ** 26)
    const message = 'the answer is too large; ask for pages with limit'
    const refused = { code: 'invalid_argument', message }
    await t.rejects(echo.fill(String(maxMessageBytes + 1), patient), refused)
  })

  await t.test('takes a request of 8 MiB, and no larger one, also when it inflates', async (t) => {
    const { identity, gzip } = compressionAlgorithms
    for (const algorithm of [identity, gzip]) {
      const client = new Client(address, credentials.createInsecure(), {
        'grpc.default_compression_algorithm': algorithm,
        'grpc.max_receive_message_length': maxMessageBytes,
      })
      t.teardown(() => client.close())
      const send = (length: number) =>
        new Promise<number | undefined>((resolve, reject) => {
          client.makeUnaryRequest(
            '/test.Echo/Echo',
            (bytes: Buffer) => bytes,
            (bytes: Buffer) => bytes.length,
            Buffer.alloc(length, 'a'),
            (error, answer) => (error === null ? resolve(answer) : reject(error)),
          )
        })
      t.equal(await send(maxRequestBytes), 2 ** 23)
      await t.rejects(send(maxRequestBytes + 1), { code: 8, details: /^Received message/ })
    }
  })

  await t.test('streams messages in order, however large they are together', async (t) => {
    const seen: number[] = []
    for await (const message of echo.count('50')) seen.push(Number(message))
    t.strictSame(
      seen,
      Array.from({ length: 50 }, (_, i) => i),
    )
  })

  await t.test('ends a stream that its reader cancels', async (t) => {
    for await (const message of echo.count('forever')) {
      if (Number(message) === 3) break
    }
    await waitFor(() => counting === -1)
    t.pass('the handler is ended')
  })

  await t.test(
    'ends the stream of a reader that does not read, and buffers little for it',
    async (t) => {
      const stream = echo.count('forever')[Symbol.asyncIterator]()
      t.equal(Number((await stream.next()).value), 0)
      await new Promise((resolve) => setTimeout(resolve, slowReaderMs / 2))
      const kept = counting
      // The handler is ended.
      await waitFor(() => counting === -1)
      const late: number[] = []
      const readOn = async () => {
        for (;;) late.push(Number((await stream.next()).value))
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
      const trying = openChannel(t, address, { retried })
      const refused = { code: 'unavailable', message: 'the database is not available' }
      await t.rejects(trying.client(EchoDefinition).away(''), refused)
      t.equal(awayCalls, 1)
    },
  )

  await t.test('shows no addresses in the error of an unreachable service', async (t) => {
    const unreachable = openChannel(t, '127.0.0.1:1')
    const refused = { code: 'unavailable', message: 'the echo is unavailable, try again' }
    await t.rejects(unreachable.client(EchoDefinition).echo(''), refused)
  })
})

t.test('authorizeCall decides about a call and names its caller', async (t) => {
  const definition = {
    fullName: 'test.Echo',
    methods: { echo: unary('Echo'), fail: unary('Fail'), count: streaming('Count') },
  } as const
  const handlers: Handlers<typeof definition, { who: string }> = {
    echo: async (_message, { caller }) => caller.who,
    fail: () => Promise.reject(new Error('called')),
    async *count(_message, { caller }) {
      yield caller.who
    },
  }
  const authorizeCall: AuthorizeCall<{ who: string }> = (service, { name }, message, context) => {
    if (name === 'Fail') throw new AppError('permission_denied', 'refused', 'not allowed')
    return { who: `${context.get('who')} of ${service.fullName} with ${message}` }
  }
  const address = await serve(t, definition, handlers, { authorizeCall })
  const echo = openChannel(t, address).client(definition)
  const options = { metadata: { who: 'bob' } }
  t.strictSame(await echo.echo('a', options), 'bob of test.Echo with a')
  const counted = []
  for await (const message of echo.count('b', options)) counted.push(message)
  t.strictSame(counted, ['bob of test.Echo with b'])
  const refused = { code: 'permission_denied', reason: 'refused', message: 'not allowed' }
  await t.rejects(echo.fail('c'), refused)
})
