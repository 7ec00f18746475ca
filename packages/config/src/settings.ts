import type { Secret } from '@svc/runtime'
import { z } from 'zod'
import {
  addressRange,
  bool,
  duration,
  headerName,
  host,
  listenAddress,
  listOf,
  oneOf,
  origin,
  outboundUrl,
  path,
  secretText,
  secretUrl,
  target,
  text,
  whole,
} from './setting-kinds.ts'
import { authenticationSettings } from './settings.authentication.ts'

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** What contract 6.2 lists, which is what the known browser clients send. */
const allowedHeaders = [
  'Accept',
  'Authorization',
  'Content-Type',
  'X-CSRF-Token',
  'X-Fern-Language',
  'X-Fern-SDK-Name',
  'X-Fern-SDK-Version',
  'X-Svc-Namespace',
  'X-Svc-Accept-Server-Version',
]

/** Event streams that a gateway has in all (services/gateway/src/streams/event-streams.ts). */
const maxStreams = 8000

/** As many characters as 128 random bits have in hexadecimal digits. */
const sharedSecret = (variable: string, description: string) =>
  secretText(32, 4096)
    .optional()
    .meta({ description, example: `\${${variable}}`, secret: true })

/**
 * Every setting. In the file a key is written in snake_case, in the environment as its path in
 * capitals. `description` becomes the line in deploy/config.yml and in docs/configuration.md;
 * `example` stands there when there is no fixed default.
 */
export const settingsSchema = z.strictObject({
  version: z
    .literal(['1.0', 1], { error: 'must be "1.0"' })
    // Without quotes, YAML reads 1.0 as the number 1.
    .transform(() => '1.0' as const)
    .prefault('1.0')
    .meta({ description: 'The version of this format; "1.0" is the only one.' }),

  log: z.strictObject({
    level: oneOf(...logLevels)
      .prefault('info')
      .meta({ description: 'The least that is logged: trace, debug, info, warn, error or fatal.' }),
    encoding: oneOf('json', 'console').meta({
      description: 'json (one object a line) or console; by default console on a terminal only.',
      example: 'json',
    }),
    requests: bool()
      .prefault(false)
      .meta({ description: 'Whether every HTTP request is logged when it has been answered.' }),
  }),

  server: z.strictObject({
    host: host()
      .prefault('0.0.0.0')
      .meta({ description: 'The interface on which the gateway serves HTTP.' }),
    httpPort: whole(0, 65_535)
      .prefault(8080)
      .meta({ description: 'The port on which the gateway serves HTTP; 0 takes any free one.' }),
    publicUrl: outboundUrl().optional().meta({
      description: 'Where browsers reach this service, when that is known.',
      example: 'https://flags.example.com',
    }),
    trustedProxies: listOf(addressRange()).prefault([]).meta({
      description: 'Addresses of proxies whose X-Forwarded headers are believed, as CIDR.',
    }),
    maxStreamsPerCaller: whole(1, maxStreams).prefault(6000).meta({
      description: 'Event streams of one token, or of one address without one, at each gateway.',
    }),
    maxStreamsPerNamespace: whole(1, maxStreams)
      .prefault(6000)
      .meta({ description: 'Event streams of one namespace at each gateway.' }),
    drain: duration(3_600_000, 0).prefault('5s').meta({
      description: 'How long a service still serves after SIGTERM, while its callers find another.',
    }),
  }),

  internal: z.strictObject({
    secret: sharedSecret(
      'INTERNAL_SECRET',
      'A secret of all three services, by which they know each other.',
    ),
    previousSecret: sharedSecret(
      'PREVIOUS_INTERNAL_SECRET',
      'One that is accepted as well, while it is being changed.',
    ),
    assertionKey: sharedSecret(
      'ASSERTION_KEY',
      'A secret of auth and resource alone: auth vouches for callers.',
    ),
    previousAssertionKey: sharedSecret(
      'PREVIOUS_ASSERTION_KEY',
      'One that is accepted as well, while it is being changed.',
    ),
    tls: z.strictObject({
      caFile: path().optional().meta({
        description: 'The certificates, in PEM, that the services know each other by: mTLS.',
        example: '/run/secrets/internal/ca.pem',
      }),
      certFile: path().optional().meta({
        description: 'The certificate of this service, in PEM.',
        example: '/run/secrets/internal/tls.crt',
      }),
      keyFile: path().optional().meta({
        description: 'The key that belongs to it, in PEM.',
        example: '/run/secrets/internal/tls.key',
      }),
      callers: listOf(text('the name of a host', (name) => /^[A-Za-z0-9._-]{1,253}$/.test(name)))
        .prefault(['gateway'])
        .meta({
          description: 'The DNS names in certificates of those who may call auth and resource.',
        }),
    }),
    insecure: bool().prefault(false).meta({
      description: 'Whether to go without secret and mTLS, which is for one machine only.',
    }),
  }),

  auth: z.strictObject({
    listen: listenAddress()
      .prefault('127.0.0.1:9001')
      .meta({ description: 'Where the auth service serves gRPC; keep it off public networks.' }),
    address: target()
      .prefault('127.0.0.1:9001')
      .meta({ description: 'Where the other services find the auth service.' }),
  }),

  resource: z.strictObject({
    listen: listenAddress().prefault('127.0.0.1:9002').meta({
      description: 'Where the resource service serves gRPC; keep it off public networks.',
    }),
    address: target()
      .prefault('127.0.0.1:9002')
      .meta({ description: 'Where the gateway finds the resource service.' }),
    maxNamespaceMib: whole(1, 65_536).prefault(256).meta({
      description: 'How much one namespace may take in the memory of every gateway, in MiB.',
    }),
  }),

  health: z.strictObject({
    listen: listenAddress().optional().meta({
      description: 'Where a service answers /healthz and /readyz by HTTP; nowhere when left out.',
      example: '0.0.0.0:9464',
    }),
  }),

  db: z.strictObject({
    url: secretUrl('postgres://user:password@host:5432/name', 'postgres', 'postgresql')
      .optional()
      .meta({
        description: 'The Postgres database; the auth and resource services need it.',
        example: 'postgres://svc:password@127.0.0.1:5432/svc',
        secret: true,
      }),
    ownerUrl: secretUrl('postgres://owner:password@host:5432/name', 'postgres', 'postgresql')
      .optional()
      .meta({
        description: 'By which migrations run; they grant the user of db.url what it needs.',
        example: 'postgres://owner:password@127.0.0.1:5432/svc',
        secret: true,
      }),
    maxConnections: whole(1, 1000)
      .prefault(10)
      .meta({ description: 'How many connections each service keeps at most.' }),
    autoMigrate: bool()
      .prefault(true)
      .meta({ description: 'Whether a service brings its own tables up to date when it starts.' }),
  }),

  cache: z.strictObject({
    maxStale: duration().prefault('2m').meta({
      description: 'How long evaluation accepts known tokens while auth cannot be reached.',
    }),
    redis: z.strictObject({
      url: secretUrl('redis://:password@host:6379/0', 'redis', 'rediss').optional().meta({
        description:
          'A Redis that caches token lookups; without one each process has its own cache.',
        example: 'redis://127.0.0.1:6379/0',
        secret: true,
      }),
      prefix: text('1 to 64 letters, digits or any of . _ : -', (prefix) =>
        /^[A-Za-z0-9._:-]{1,64}$/.test(prefix),
      )
        .prefault('svc')
        .meta({ description: 'What the name of every Redis key and channel begins with.' }),
    }),
  }),

  authentication: authenticationSettings,

  cors: z.strictObject({
    enabled: bool()
      .prefault(false)
      .meta({ description: 'Whether pages of other origins may call this service.' }),
    allowedOrigins: listOf(origin()).prefault([]).meta({
      description: 'Which origins, such as https://app.example.com; "*" is refused.',
    }),
    allowedHeaders: listOf(headerName())
      .prefault(allowedHeaders)
      .meta({ description: 'Which request headers such pages may send.' }),
  }),
})

type Frozen<T> = T extends Secret
  ? Secret
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T

/** The whole configuration. Durations are in milliseconds. */
export type Settings = Frozen<z.output<typeof settingsSchema>>
