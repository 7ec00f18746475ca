import { once } from 'node:events'
import { connect, type OutgoingHttpHeaders } from 'node:http2'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { AppError, Secret } from '@svc/runtime'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { secretKey } from './call-authenticator.ts'
import { unprotected } from './protection.ts'
import { RpcServer } from './server.ts'
import { openChannel, serve, silentLog, streaming, unary } from './text-service.test.support.ts'

const EchoDefinition = {
  fullName: 'test.Echo',
  methods: { echo: unary('Echo'), stumble: unary('Stumble'), count: streaming('Count') },
} as const

const secret = 'the-secret-of-these-tests-0123456789'
const next = 'the-next-secret-of-these-tests-01234'

function keepLog() {
  const lines: Record<string, unknown>[] = []
  return { lines, log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) }) }
}

const protectionBy = (secrets: readonly string[]) => ({
  secrets: secrets.map((one) => new Secret(one)),
})

/** @param refusal of each call of `Echo` */
async function start(t: Test, secrets: readonly string[], refusal?: AppError) {
  const { lines, log } = keepLog()
  const stumbled = new Set<string>()
  const handlers = {
    async echo(message: string) {
      if (refusal !== undefined) throw refusal
      return message
    },
    async stumble(message: string) {
      if (stumbled.has(message)) return message
      stumbled.add(message)
      throw new AppError('unavailable', 'closing', 'the server is closing')
    },
    async *count(message: string) {
      for (let i = 0; i < Number(message); i++) yield String(i)
    },
  }
  const options = { log, protection: protectionBy(secrets) }
  return { address: await serve(t, EchoDefinition, handlers, options), lines }
}

function open(t: Test, address: string, secrets: readonly string[]) {
  const { lines, log } = keepLog()
  const retried = [{ service: EchoDefinition.fullName }]
  const protection = protectionBy(secrets)
  const channel = openChannel(t, address, { protection, retried, log })
  return { lines, echo: channel.client(EchoDefinition) }
}

/** A call of a client that is not ours. @returns the answer's bytes in hex */
function callRaw(t: Test, address: string, path: string, metadata = new Metadata()) {
  const client = new Client(address, credentials.createInsecure())
  t.teardown(() => client.close())
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  client.makeUnaryRequest(
    path,
    (bytes: Buffer) => bytes,
    (bytes: Buffer) => bytes.toString('hex'),
    Buffer.of(),
    metadata,
    { deadline: Date.now() + 5000 },
    (error: ServiceError | null, answer) =>
      error === null ? resolve(answer ?? '') : reject(error),
  )
  return promise
}

/** A call by HTTP/2, whose request is left open. */
function openCall(t: Test, address: string, path: string, more: OutgoingHttpHeaders = {}) {
  const session = connect(`http://${address}`)
  t.teardown(() => session.destroy())
  const type = { 'content-type': 'application/grpc', te: 'trailers' }
  const stream = session.request({ ':method': 'POST', ':path': path, ...type, ...more })
  const signal = AbortSignal.timeout(5000)
  return { stream, head: once(stream, 'response', { signal }).then(([head]) => head) }
}

t.test('calls and streams pass with the secret', async (t) => {
  const { address, lines } = await start(t, [secret])
  const { echo } = open(t, address, [secret])
  for (const message of ['hi', '', 'ü'.repeat(100_000)]) t.equal(await echo.echo(message), message)
  const counted: string[] = []
  for await (const message of echo.count('3')) counted.push(message)
  t.strictSame(counted, ['0', '1', '2'])
  t.strictSame(lines, [])
})

t.test('a call is retried with the secret', async (t) => {
  const { address } = await start(t, [secret])
  t.equal(await open(t, address, [secret]).echo.stumble('once'), 'once')
})

t.test('without the secret a service is unavailable, and the logs of both say why', async (t) => {
  const { address, lines } = await start(t, [secret])
  const unavailable = { code: 'unavailable', message: 'the echo is unavailable, try again' }
  const said: unknown[] = []
  for (const secrets of [[], [next], [next, secret]]) {
    const { echo, lines } = open(t, address, secrets)
    await t.rejects(echo.echo('hi'), unavailable)
    await t.rejects(echo.count('3')[Symbol.asyncIterator]().next(), unavailable)
    t.equal(lines.length, 1, 'once, however often it calls')
    t.match(lines, [{ level: 50, peer: 'the echo' }])
    said.push(lines[0]?.msg)
  }
  const refused = 'the echo refused the calls of this service: '
  t.strictSame(said, [
    `${refused}no internal.secret is set at the caller`,
    `${refused}internal.secret differs`,
    `${refused}internal.secret differs`,
  ])
  const reasons = [{ reason: 'missing_secret' }, { reason: 'wrong_secret' }]
  t.match(lines, reasons, 'once for each reason')
  t.match(lines[0], {
    level: 40,
    path: '/test.Echo/Echo',
    peer: /^127\.0\.0\.1:/,
    msg: 'refused a call of another service: no internal.secret is set at the caller',
  })
  t.match(lines[1], { msg: 'refused a call of another service: internal.secret differs' })
  t.equal(lines.length, 2)
})

t.test('a secret may have any characters', async (t) => {
  for (const any of ['ü – 世界, ☃', ' spaces ', 'a,b;c=d', '\u0000\n\u007f']) {
    const { address } = await start(t, [any])
    t.equal(await open(t, address, [any]).echo.echo('hi'), 'hi')
    const trimmed = open(t, address, [`${any}.`])
    await t.rejects(trimmed.echo.echo('hi'), { code: 'unavailable' })
  }
})

t.test('a secret that differs in a character, or in length, is refused', async (t) => {
  const { address, lines } = await start(t, [secret, next])
  const changed = [...secret].map((character, i) => {
    return secret.slice(0, i) + (character === 'A' ? 'B' : 'A') + secret.slice(i + 1)
  })
  const others = [
    secret.slice(1),
    secret.slice(0, -1),
    `${secret}0`,
    secret + next,
    secret + secret,
  ]
  for (const other of [...changed, ...others]) {
    await t.rejects(open(t, address, [other]).echo.echo('hi'), { code: 'unavailable' })
  }
  t.match(lines, [{ reason: 'wrong_secret' }])
})

t.test('no log, error or trailer has a secret in it', async (t) => {
  const { address, lines: serverLines } = await start(t, [secret])
  const { echo, lines } = open(t, address, [next])
  const error = await echo.echo('hi').catch((thrown: unknown) => thrown)
  t.ok(error instanceof AppError)
  const metadata = new Metadata()
  metadata.set(secretKey, Buffer.from(next))
  const seen = await callRaw(t, address, '/test.Echo/Echo', metadata).then(
    () => undefined,
    (refusal: ServiceError) => refusal,
  )
  t.equal(seen?.code, 16)
  const printed = [
    ...[lines, serverLines].map((kept) => JSON.stringify(kept)),
    ...[error, seen, protectionBy([next, secret]), echo].map((value) =>
      inspect(value, { depth: 12, showHidden: true }),
    ),
    JSON.stringify(seen?.metadata.getMap()),
  ].join()
  t.match(printed, 'internal.secret differs')
  for (const one of [secret, next]) {
    const texts = [one, Buffer.from(one).toString('base64'), Buffer.from(one).toString('hex')]
    // Buffers are printed as bytes apart from each other.
    texts.push(Buffer.from(one).toString('hex').match(/../g)?.slice(0, 8).join(' ') ?? '')
    for (const text of texts) t.notOk(printed.includes(text), text)
  }
})

t.test('a message of a refusal is logged up to a limit, and shown to no client', async (t) => {
  const refusal = new AppError('unauthenticated', 'untrusted_caller', 'a'.repeat(5000))
  const { address } = await start(t, [], refusal)
  const { echo, lines } = open(t, address, [])
  await t.rejects(echo.echo('hi'), { message: 'the echo is unavailable, try again' })
  t.equal(String(lines[0]?.msg).length, 'the echo refused the calls of this service: '.length + 200)
})

t.test('a secret is changed in three steps, and all calls pass', async (t) => {
  for (const secrets of [[secret], [secret, next], [next, secret], [next]]) {
    const { address } = await start(t, secrets)
    for (const using of [secret, next].filter((one) => secrets.includes(one))) {
      t.equal(await open(t, address, [using]).echo.echo('hi'), 'hi')
    }
  }
})

t.test('without the secret, only health is answered', async (t) => {
  const { address } = await start(t, [secret])
  const call = (path: string, metadata?: Metadata) => callRaw(t, address, path, metadata)
  t.equal(await call('/grpc.health.v1.Health/Check'), '0801')
  const reflection = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
  await t.rejects(call(reflection), { code: 12 })
  await t.rejects(call('/test.Echo/Echo'), { code: 16 })
  const twice = new Metadata()
  for (let i = 0; i < 2; i++) twice.add(secretKey, Buffer.from(secret))
  await t.rejects(call('/test.Echo/Echo', twice), { code: 16 }, 'two secrets are none')
})

t.test('nothing is read of a call without the secret', async (t) => {
  const { address, lines } = await start(t, [secret])
  for (const path of ['/test.Echo/Echo', '/test.Echo/Count']) {
    // Its request is never sent.
    t.match(await openCall(t, address, path).head, {
      'grpc-status': '16',
      'svc-reason': /untrusted/,
    })
  }
  t.match(lines, [{ reason: 'missing_secret', path: '/test.Echo/Echo', peer: /^127\.0\.0\.1:/ }])
})

t.test('little is read of the health check of a caller without the secret', async (t) => {
  const { address } = await start(t, [secret])
  const check = openCall(t, address, '/grpc.health.v1.Health/Check')
  const head = Buffer.alloc(5)
  head.writeUInt32BE(1025, 1)
  check.stream.write(head)
  t.match(await check.head, { 'grpc-status': '8' })
  const inflating = openCall(t, address, '/grpc.health.v1.Health/Check', {
    'grpc-encoding': 'gzip',
  })
  const message = gzipSync(Buffer.alloc(100_000))
  head.writeUInt8(1)
  head.writeUInt32BE(message.length, 1)
  inflating.stream.end(Buffer.concat([head, message]))
  t.match(await inflating.head, { 'grpc-status': '8' })
})

t.test('what is no gzip ends a call, and not the process', async (t) => {
  const { address } = await start(t, [secret])
  const path = '/grpc.health.v1.Health/Check'
  const broken = openCall(t, address, path, { 'grpc-encoding': 'gzip' })
  const message = Buffer.from('no gzip')
  const head = Buffer.alloc(5)
  head.writeUInt8(1)
  head.writeUInt32BE(message.length, 1)
  broken.stream.end(Buffer.concat([head, message]))
  t.match(await broken.head, { 'grpc-status': /^[1-9]/ })
  t.equal(await callRaw(t, address, path), '0801')
})

t.test('a server without protection listens on loopback alone', async (t) => {
  for (const address of ['0.0.0.0:0', '[::]:0', '10.0.0.1:0', 'localhost.example.com:0']) {
    const server = new RpcServer({ log: silentLog, protection: unprotected })
    await t.rejects(server.listen(address), { message: /can be reached by others/ }, address)
    await server.close()
  }
})

t.test('calls go past the proxy of the environment', async (t) => {
  const { address } = await start(t, [secret])
  process.env.http_proxy = 'http://127.0.0.1:1'
  t.teardown(() => {
    delete process.env.http_proxy
  })
  t.equal(await open(t, address, [secret]).echo.echo('hi'), 'hi')
})
