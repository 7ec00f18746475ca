import { strictObject as section } from 'zod'
import {
  addressRange,
  databaseUrl,
  headerName,
  host,
  listenAddress,
  origin,
  outboundUrl,
  secretText,
  secretTexts,
  secretUrl,
  target,
} from './kinds/network.ts'
import { bool, duration, listOf, oneOf, optional, path, text, whole } from './kinds/values.ts'
import type { Requirement } from './requirements.ts'
import type { Settings } from './schema.ts'

/** Event streams of a gateway in all (services/gateway/src/streams/event-streams.ts). */
const maxStreams = 8000

const cachePrefixShape = '^[A-Za-z0-9._:-]{1,64}$'

const cachePrefix = text(
  '1 to 64 letters, digits or any of . _ : -',
  (prefix) => new RegExp(cachePrefixShape).test(prefix),
  cachePrefixShape,
)

/** Headers that known browser clients send. */
const corsHeaders = [
  'Accept',
  'Authorization',
  'Content-Type',
  'X-CSRF-Token',
  'X-Fern-Language',
  'X-Fern-SDK-Name',
  'X-Fern-SDK-Version',
  'X-Svc-Comment',
  'X-Svc-Namespace',
  'X-Svc-Accept-Server-Version',
]

/** At least as many characters as 128 random bits have in hexadecimal digits. */
const secretLengths = [32, 4096] as const
const sharedSecret = (variable: string) => secretText(...secretLengths, variable)

/** Minimum retention of the change log: the database refuses to delete younger changes. */
const minRetentionMs = 30 * 24 * 3_600_000

/** The sections that all services read, without `authentication`, in the order of the documents. */
export const sharedSections = {
  log: section({
    level: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal')
      .prefault('info')
      .describe('The lowest level that is logged: trace, debug, info, warn, error or fatal.'),
    encoding: optional(oneOf('json', 'console'), 'json').describe(
      'json (one object a line) or console; by default console on a terminal only.',
    ),
    requests: bool(false).describe(
      'Whether every HTTP request is logged when it has been answered.',
    ),
  }),
  server: section({
    host: host().prefault('0.0.0.0').describe('The interface on which the gateway serves HTTP.'),
    httpPort: whole(0, 65_535)
      .prefault(8080)
      .describe('The port on which the gateway serves HTTP; 0 takes any free one.'),
    publicUrl: optional(outboundUrl(), 'https://flags.example.com').describe(
      'The URL at which browsers reach this service.',
    ),
    trustedProxies: listOf(addressRange()).describe(
      'Addresses of proxies whose X-Forwarded headers are trusted, as CIDR.',
    ),
    maxStreamsPerCaller: whole(1, maxStreams)
      .prefault(6000)
      .describe('Event streams of one token, or of one address without one, at each gateway.'),
    maxStreamsPerNamespace: whole(1, maxStreams)
      .prefault(6000)
      .describe('Event streams of one namespace at each gateway.'),
    drain: duration(3_600_000, 0)
      .prefault('5s')
      .describe('How long a service still serves after SIGTERM, while callers move to another.'),
  }),
  ui: section({
    enabled: bool(true).describe('Whether the gateway serves the web interface.'),
  }),
  internal: section({
    secret: sharedSecret('INTERNAL_SECRET').describe(
      'The shared secret by which the three services authenticate each other.',
    ),
    previousSecret: sharedSecret('PREVIOUS_INTERNAL_SECRET').describe(
      'The secret before it, accepted as well during a rotation.',
    ),
    assertionKey: sharedSecret('ASSERTION_KEY').describe(
      'The key of auth and resource alone, with which auth signs who is calling.',
    ),
    previousAssertionKey: sharedSecret('PREVIOUS_ASSERTION_KEY').describe(
      'The key before it, accepted as well during a rotation.',
    ),
    tls: section({
      caFile: optional(path(), '/run/secrets/internal/ca.pem').describe(
        'The CA certificates, in PEM, by which the services verify each other: mTLS.',
      ),
      certFile: optional(path(), '/run/secrets/internal/tls.crt').describe(
        'The certificate of this service, in PEM.',
      ),
      keyFile: optional(path(), '/run/secrets/internal/tls.key').describe(
        'The key that belongs to it, in PEM.',
      ),
      callers: listOf(
        text('the name of a host', (name) => /^[A-Za-z0-9._-]{1,253}$/.test(name)),
        ['gateway'],
      ).describe('The DNS names in client certificates that auth and resource accept.'),
    }),
    insecure: bool(false).describe(
      'Whether calls need neither secret nor mTLS, which is for one machine only.',
    ),
  }),
  auth: section({
    listen: listenAddress()
      .prefault('127.0.0.1:9001')
      .describe('Where the auth service serves gRPC; keep it off public networks.'),
    address: target()
      .prefault('127.0.0.1:9001')
      .describe('Where the other services reach the auth service.'),
  }),
  resource: section({
    listen: listenAddress()
      .prefault('127.0.0.1:9002')
      .describe('Where the resource service serves gRPC; keep it off public networks.'),
    address: target()
      .prefault('127.0.0.1:9002')
      .describe('Where the gateway reaches the resource service.'),
    maxNamespaceMib: whole(1, 65_536)
      .prefault(256)
      .describe('How much one namespace may take in the memory of every gateway, in MiB.'),
  }),
  seed: section({
    path: optional(path(), '/etc/svc/flags.yml').describe(
      'A file, or a folder of files, with flags and segments that are there from the start.',
    ),
    mode: oneOf('once', 'always')
      .prefault('once')
      .describe(
        'Whether new and empty namespaces are seeded once, or all whenever the files change.',
      ),
  }),
  changes: section({
    key: sharedSecret('CHANGES_KEY').describe(
      'The key of auth and resource alone, by which the change log is tamper-evident; keep it.',
    ),
    previousKeys: secretTexts(...secretLengths, 'PREVIOUS_CHANGES_KEY').describe(
      'The keys before it, by which what was logged with them is verified.',
    ),
    retention: duration()
      .refine((ms) => ms >= minRetentionMs, { error: 'must be at least 720h' })
      .prefault('9600h')
      .describe(
        'How long changes and events are kept, but for the last of each log: at least 720h.',
      ),
    dailyBytes: whole(2 ** 20, 2 ** 50)
      .prefault(2 ** 31)
      .describe('Maximum bytes that the changes of one namespace take in a day.'),
  }),
  metrics: section({
    enabled: bool(true).describe('Whether a service measures itself and serves /metrics.'),
    host: host()
      .prefault('127.0.0.1')
      .describe('The interface of /healthz, /readyz and /metrics; "::" is all of them.'),
    port: whole(0, 65_535)
      .prefault(9464)
      .describe('The port of /healthz, /readyz and /metrics, by plain HTTP; 0 takes any free one.'),
    onHttp: bool(false).describe('Whether the gateway serves /metrics on its own port as well.'),
    perFlag: bool(false).describe('Whether evaluations are counted by flag, 1,000 at most.'),
  }),
  health: section({
    listen: optional(listenAddress(), '127.0.0.1:9464').describe(
      'The older name of metrics.host and metrics.port; it goes before those of the same source.',
    ),
  }),
  telemetry: section({
    otlp: section({
      endpoint: optional(outboundUrl(), 'http://127.0.0.1:4318').describe(
        'The URL of an OpenTelemetry collector, for OTLP over HTTP; without one nothing is sent.',
      ),
      headers: secretText(1, 4096, 'OTLP_HEADERS').describe(
        'Headers for it, as name=value,name=value with special characters as %XX.',
      ),
      traces: bool(true).describe('Whether it is sent traces.'),
      metrics: bool(true).describe('Whether it is sent metrics, if metrics.enabled is true.'),
    }),
    tracesPerSecond: whole(0, 1000)
      .prefault(10)
      .describe(
        'Maximum traces that begin in a second: by the choice of a gateway, and by that of callers.',
      ),
  }),
  db: section({
    url: databaseUrl('user').meta({
      description: 'The PostgreSQL database of auth and resource; of several hosts, the primary.',
      example: 'postgres://svc:password@127.0.0.1:5432/svc',
    }),
    directUrl: databaseUrl('user').meta({
      description: 'The same without a pooler in between, for notifications and migrations.',
      example: 'postgres://svc:password@127.0.0.1:5432/svc',
    }),
    ownerUrl: databaseUrl('owner').meta({
      description: 'The URL for migrations; they grant the user of db.url what it needs.',
      example: 'postgres://owner:password@127.0.0.1:5432/svc',
    }),
    maxConnections: whole(1, 1000).prefault(10).describe('Maximum connections of each service.'),
    autoMigrate: bool(true).describe('Whether a service migrates its own tables when it starts.'),
  }),
  cache: section({
    maxStale: duration()
      .prefault('2m')
      .describe('How long evaluation accepts known tokens while auth cannot be reached.'),
    redis: section({
      url: secretUrl('redis://:password@host:6379/0', 'redis', 'rediss').meta({
        description:
          'A Redis that caches token lookups; without one each process has its own cache.',
        example: 'redis://127.0.0.1:6379/0',
      }),
      prefix: cachePrefix
        .prefault('svc')
        .describe('Prefix of the name of every Redis key and channel.'),
    }),
  }),
} as const

export const corsSection = section({
  enabled: bool(false).describe('Whether pages of other origins may call this service.'),
  allowedOrigins: listOf(origin()).describe(
    'Which origins, such as https://app.example.com; "*" is refused.',
  ),
  allowedHeaders: listOf(headerName(), corsHeaders).describe(
    'Which request headers such pages may send.',
  ),
})

export function sharedRequirements({ changes, cors, internal }: Settings): Requirement[] {
  const { secret, assertionKey, tls } = internal
  const files = [tls.caFile, tls.certFile, tls.keyFile].filter((file) => file !== undefined)
  return [
    {
      key: 'cors.enabled',
      isMet: !cors.enabled || cors.allowedOrigins.length > 0,
      wrong: 'is true, but cors.allowed_origins lists none',
      remedy: 'List them there or in SVC_CORS_ALLOWED_ORIGINS',
    },
    {
      key: 'internal.assertion_key',
      isMet: secret === undefined || assertionKey?.reveal() !== secret.reveal(),
      wrong: 'is the same as internal.secret, which gateways know: they could vouch for any caller',
      remedy: 'Make another',
    },
    {
      key: 'changes.key',
      isMet: secret === undefined || changes.key?.reveal() !== secret.reveal(),
      wrong:
        'is the same as internal.secret, which gateways know: they could rewrite the change log',
      remedy: 'Make another',
    },
    {
      key: 'internal.tls.ca_file',
      isMet: files.length === 0 || files.length === 3,
      wrong: 'needs cert_file and key_file, and they need it: both peers present a certificate',
      remedy: 'Give all three or none',
    },
  ]
}
