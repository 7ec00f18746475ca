import { startAuth } from '@svc/auth'
import { authSettings } from '@svc/auth/settings'
import { loadSettings } from '@svc/config'
import { createTestDatabase } from '@svc/database/testing'
import {
  AuthenticateRequest,
  AuthenticateTicketRequest,
  ReportUsesRequest,
} from '@svc/proto/auth/v1/identities'
import { CreateTokenRequest } from '@svc/proto/auth/v1/tokens'
import { CreateConstraintRequest } from '@svc/proto/resource/v1/constraints'
import { CreateFlagRequest, ListFlagsRequest } from '@svc/proto/resource/v1/flags'
import { CreateRolloutRequest } from '@svc/proto/resource/v1/rollouts'
import { CreateRuleRequest } from '@svc/proto/resource/v1/rules'
import { CreateSegmentRequest } from '@svc/proto/resource/v1/segments'
import { CreateVariantRequest } from '@svc/proto/resource/v1/variants'
import { startResource } from '@svc/resource'
import { createLogger } from '@svc/runtime'
import t from 'tap'
import { createRandom, type Random } from '../support/random.ts'
import { openRawRpc } from '../support/raw-rpc.ts'
import { pathsOf } from '../support/rpc-methods.ts'

const frames = Number(process.env.FRAMES ?? 100_000)

/** How many calls are under way at a time. */
const width = 50

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

interface Seed {
  /** How the path of the method ends that it is meant for. */
  readonly method: string
  readonly frame: Uint8Array
}

/** What is asked of the services, as a start. */
const seeds: readonly Seed[] = [
  seed('CreateFlag', CreateFlagRequest, { key: 'f', name: 'F', metadata: { a: [1, { b: null }] } }),
  seed('ListFlags', ListFlagsRequest, { limit: 3, offset: 1, pageToken: 'x' }),
  seed('CreateVariant', CreateVariantRequest, { flagKey: 'f', key: 'v', attachment: '{"a":1}' }),
  seed('CreateSegment', CreateSegmentRequest, { key: 's', name: 'S' }),
  seed('CreateConstraint', CreateConstraintRequest, {
    segmentKey: 's',
    type: 'STRING_COMPARISON_TYPE',
    property: 'p',
    operator: 'eq',
    value: 'x',
  }),
  seed('CreateRule', CreateRuleRequest, { flagKey: 'f', segmentKeys: ['s'], rank: 1 }),
  seed('CreateRollout', CreateRolloutRequest, { flagKey: 'f', threshold: { percentage: 12.5 } }),
  seed('CreateToken', CreateTokenRequest, { name: 't', metadata: { a: 'b' }, namespaceKey: 'n' }),
  seed('Authenticate', AuthenticateRequest, { clientToken: 'a-token-that-is-unknown' }),
  seed('AuthenticateTicket', AuthenticateTicketRequest, {
    tokenId: '00000000-0000-0000-0000-000000000000',
    namespaceKey: 'n',
    mac: Buffer.alloc(32),
  }),
  seed('ReportUses', ReportUsesRequest, {
    uses: [{ authenticationId: 'a', count: 3, address: '::1' }],
  }),
]

function seed<T>(
  method: string,
  type: {
    fromPartial(fields: object): T
    encode(message: T): { finish(): Uint8Array }
  },
  fields: object,
): Seed {
  return { method, frame: type.encode(type.fromPartial(fields)).finish() }
}

function mutate(frame: Uint8Array, { below, pick }: Random): Uint8Array {
  let bytes = Buffer.from(frame)
  for (let i = below(4); i >= 0; i--) {
    const at = below(bytes.length + 1)
    const piece = bytes.subarray(at, at + below(20))
    const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)]
    const kinds = [
      () => Buffer.concat([head, Buffer.of(below(256)), tail.subarray(1)]),
      () => Buffer.concat([head, Buffer.of(below(256)), tail]),
      () => Buffer.concat([head, tail.subarray(1 + below(5))]),
      () => Buffer.concat([head, piece, piece, tail]),
      () => head,
      () => Buffer.concat([head, Buffer.alloc(10, 0xff), tail]),
      () => Buffer.concat([head, Buffer.from('\0é\ud800'), tail]),
    ]
    bytes = Buffer.from(pick(kinds)())
  }
  return bytes
}

/** A value in a list in a value, and so on; as `google.protobuf.Struct` nests. */
function nested(depth: number): Uint8Array {
  let value = Buffer.of(0x08, 0)
  for (let i = 0; i < depth; i++) value = field(6, field(1, value))
  return field(8, field(1, Buffer.concat([field(1, Buffer.from('k')), field(2, value)])))
}

function field(number: number, bytes: Uint8Array): Buffer<ArrayBuffer> {
  const length: number[] = []
  for (let rest = bytes.length; ; rest >>>= 7) {
    length.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80)
    if (rest < 0x80) break
  }
  return Buffer.concat([Buffer.of((number << 3) | 2, ...length), bytes])
}

const extremes: readonly Uint8Array[] = [
  nested(30),
  nested(1000),
  nested(10_000),
  Buffer.alloc(1_000_000, Buffer.of(0x08, 1)),
  Buffer.alloc(1_000_000, Buffer.of(0xfa, 0x01, 0)),
  // Groups that are never ended, which are read by recursion.
  Buffer.alloc(1_000_000, 0x7b),
]

const timeout = 1_800_000

t.test('the services outlast whatever is sent to them', { timeout }, async (t) => {
  const database = await createTestDatabase(t)
  const env = {
    SVC_DB_URL: database.url,
    SVC_AUTH_LISTEN: '127.0.0.1:0',
    SVC_RESOURCE_LISTEN: '127.0.0.1:0',
    SVC_INTERNAL_INSECURE: 'true',
    SVC_AUTHENTICATION_REQUIRED: 'false',
  }
  const { settings } = loadSettings(authSettings, { env, systemFiles: [] })
  const [auth, resource] = await Promise.all([
    startAuth({ settings, log }),
    startResource({ settings, log }),
  ])
  t.teardown(() => Promise.all([auth.close(), resource.close()]))

  for (const [service, { port }] of Object.entries({ auth, resource } as const)) {
    await t.test(service, { timeout }, async (t) => {
      const rpc = openRawRpc(`127.0.0.1:${port}`)
      t.teardown(() => rpc.close())
      // Streams are opened by any message and stay.
      const paths = pathsOf(service === 'auth' ? 'auth' : 'resource').filter(
        (path) => !/\/Watch/.test(path),
      )
      const random = createRandom(20_260_101)
      const codes = new Map<string, number>()
      const defects: object[] = []
      let sent = 0
      const send = async (path: string, frame: Uint8Array) => {
        const { code } = await rpc.call(path, frame)
        sent += 1
        codes.set(code, (codes.get(code) ?? 0) + 1)
        const isDefect = code === 'INTERNAL' || code === 'UNKNOWN'
        if (isDefect)
          defects.push({ path, frame: Buffer.from(frame.subarray(0, 200)).toString('hex') })
      }
      await Promise.all(
        Array.from({ length: width }, async () => {
          while (sent < frames) {
            const { method, frame } = random.pick(seeds)
            const own = paths.find((path) => path.endsWith(`/${method}`))
            // What is good for one method is odd for another.
            const path = own === undefined || random.happens(0.25) ? random.pick(paths) : own
            await send(path, mutate(frame, random))
          }
        }),
      )
      for (const extreme of extremes) for (const path of paths) await send(path, extreme)
      t.comment(`${sent} frames: ${JSON.stringify(Object.fromEntries(codes))}`)
      t.strictSame(defects.slice(0, 10), [])
      t.match(await rpc.call('/grpc.health.v1.Health/Check'), { code: 'OK' })
    })
  }
})
