import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { AppError } from '@svc/runtime'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { digestOf, proofKey, proveCall } from './call-proof.ts'
import { RpcChannel } from './channel.ts'
import type { MessageType } from './definition.ts'
import { unprotected } from './protection.ts'
import { RpcServer } from './server.ts'

const text: MessageType<string> = {
  encode: (message) => ({ finish: () => Buffer.from(message) }),
  decode: (bytes) => Buffer.from(bytes).toString(),
}

const method = { requestType: text, requestStream: false, responseType: text } as const

const EchoDefinition = {
  fullName: 'test.Echo',
  methods: {
    echo: { ...method, name: 'Echo', responseStream: false },
    stumble: { ...method, name: 'Stumble', responseStream: false },
    count: { ...method, name: 'Count', responseStream: true },
  },
} as const

const secret = 'the-secret-of-these-tests-0123456789'
const next = 'the-next-secret-of-these-tests-01234'

function keepLog() {
  const lines: Record<string, unknown>[] = []
  return { lines, log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) }) }
}

interface StartOptions {
  readonly nowMs?: () => number
  /** What each call of `Echo` is refused with. */
  readonly refusal?: AppError
}

async function start(
  t: Test,
  secrets: readonly string[],
  { refusal, ...options }: StartOptions = {},
) {
  const { lines, log } = keepLog()
  const stumbled = new Set<string>()
  const server = new RpcServer({ log, protection: { secrets }, ...options }).add(EchoDefinition, {
    async echo(message) {
      if (refusal !== undefined) throw refusal
      return message
    },
    async stumble(message) {
      if (stumbled.has(message)) return message
      stumbled.add(message)
      throw new AppError('unavailable', 'closing', 'the server is closing')
    },
    async *count(message) {
      for (let i = 0; i < Number(message); i++) yield String(i)
    },
  })
  const address = `127.0.0.1:${await server.listen('127.0.0.1:0')}`
  t.teardown(() => server.close())
  return { address, lines }
}

function open(t: Test, address: string, secrets: readonly string[]) {
  const { lines, log } = keepLog()
  const retried = [{ service: EchoDefinition.fullName }]
  const protection = { secrets }
  const channel = new RpcChannel(address, { name: 'the echo', protection, retried, log })
  t.teardown(() => channel.close())
  return { lines, echo: channel.client(EchoDefinition) }
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

t.test('a call that is tried again is not taken for a copy of the first', async (t) => {
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
  t.match(lines, [{ fault: 'missing' }, { fault: 'wrong' }], 'once for each kind')
  t.match(lines[0], {
    level: 40,
    path: '/test.Echo/Echo',
    peer: /^127\.0\.0\.1:/,
    msg: 'refused a call of another service: no internal.secret is set at the caller',
  })
  t.match(lines[1], { msg: 'refused a call of another service: internal.secret differs' })
  t.equal(lines.length, 2)
})

t.test('with a wrong clock a service is unavailable, and the logs say by how much', async (t) => {
  for (const offsetS of [7200, -7200]) {
    const { address, lines: peerLines } = await start(t, [secret], {
      nowMs: () => Date.now() + offsetS * 1000,
    })
    const { echo, lines } = open(t, address, [secret])
    await t.rejects(echo.echo('hi'), { message: 'the echo is unavailable, try again' })
    const differs = /the clocks differ by 7(200|199|201) s, and 30 s are allowed$/
    t.match(lines, [{ msg: differs }])
    t.match(peerLines, [{ fault: 'old', msg: differs }])
  }
})

t.test(
  'what a peer says of a refusal is logged up to a limit, and shown to no client',
  async (t) => {
    const { address } = await start(t, [], {
      refusal: new AppError('unauthenticated', 'untrusted_caller', 'a'.repeat(5000)),
    })
    const { echo, lines } = open(t, address, [])
    await t.rejects(echo.echo('hi'), { message: 'the echo is unavailable, try again' })
    t.equal(
      String(lines[0]?.msg).length,
      'the echo refused the calls of this service: '.length + 200,
    )
  },
)

t.test('a secret is changed in three steps, and all calls pass', async (t) => {
  for (const secrets of [[secret], [secret, next], [next, secret], [next]]) {
    const { address } = await start(t, secrets)
    for (const using of [secret, next].filter((one) => secrets.includes(one))) {
      t.equal(await open(t, address, [using]).echo.echo('hi'), 'hi')
    }
  }
})

t.test('of what is not ours, only health is answered', async (t) => {
  const { address } = await start(t, [secret])
  const client = new Client(address, credentials.createInsecure())
  t.teardown(() => client.close())
  const call = (path: string, metadata = new Metadata()) =>
    new Promise<string>((resolve, reject) => {
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
    })
  t.equal(await call('/grpc.health.v1.Health/Check'), '0801')
  const reflection = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
  await t.rejects(call(reflection), { code: 12 })
  await t.rejects(call('/test.Echo/Echo'), { code: 16 })
  const twice = new Metadata()
  for (let i = 0; i < 2; i++) {
    twice.add(proofKey, proveCall(secret, '/test.Echo/Echo', digestOf(Buffer.of()), Date.now()))
  }
  await t.rejects(call('/test.Echo/Echo', twice), { code: 16 }, 'two proofs are none')
})

t.test('nobody listens to others without protection', async (t) => {
  const log = pino({ level: 'silent' })
  for (const address of ['0.0.0.0:0', '[::]:0', '10.0.0.1:0', 'localhost.example.com:0']) {
    const server = new RpcServer({ log, protection: unprotected })
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
