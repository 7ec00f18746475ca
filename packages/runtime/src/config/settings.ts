import { z } from 'zod'
import type { Secret } from './secret.ts'
import {
  bool,
  duration,
  headerName,
  host,
  listenAddress,
  listOf,
  oneOf,
  origin,
  secretText,
  secretUrl,
  target,
  text,
  textMap,
  whole,
} from './setting-kinds.ts'

/** Timers of Node.js count milliseconds in 31 bits: a longer one fires at once, again and again. */
const longestTimerMs = 2 ** 31 - 1

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
  }),

  db: z.strictObject({
    url: secretUrl('postgres://user:password@host:5432/name', 'postgres', 'postgresql')
      .optional()
      .meta({
        description: 'The Postgres database; the auth and resource services need it.',
        example: 'postgres://svc:password@127.0.0.1:5432/svc',
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

  authentication: z.strictObject({
    required: bool().prefault(true).meta({ description: 'Whether requests need a credential.' }),
    exclude: z.strictObject({
      management: bool().prefault(false).meta({
        description:
          'Whether /api/v1 is exempt from authentication.required; mind who can reach it.',
      }),
      evaluation: bool()
        .prefault(false)
        .meta({ description: 'Whether /evaluate/v1 is exempt from authentication.required.' }),
      ofrep: bool()
        .prefault(false)
        .meta({ description: 'Whether /ofrep/v1 is exempt from authentication.required.' }),
    }),
    methods: z.strictObject({
      token: z.strictObject({
        enabled: bool().prefault(true).meta({
          description:
            'Whether static tokens can be created, and a first one is at the first start.',
        }),
        cleanup: z.strictObject({
          interval: duration(longestTimerMs)
            .prefault('1h')
            .meta({ description: 'How often expired tokens are deleted.' }),
          gracePeriod: duration()
            .prefault('30m')
            .meta({ description: 'How long an expired token is kept before it may be deleted.' }),
        }),
        bootstrap: z.strictObject({
          // Longer than any token in use, and well within the 16 KiB that Node.js allows headers.
          token: secretText(16, 4096).optional().meta({
            description: 'The first token, at least 16 characters; a random one when left out.',
            example: `\${FIRST_TOKEN}`,
            secret: true,
          }),
          expiration: duration().optional().meta({
            description: 'How long the first token is valid; for ever when left out.',
            example: '24h',
          }),
          // No more than the interface accepts for other tokens.
          metadata: textMap(64, 8192)
            .refine((metadata) => !('io.svc.auth.token.namespace' in metadata), {
              error: 'cannot bind the first token to a namespace: then it could not make others',
            })
            .prefault({})
            .meta({
              description: 'What else to note of the first token, as texts by key.',
              map: true,
            }),
          force: bool().prefault(false).meta({
            description: 'Whether to make a first token again at a start after it was deleted.',
          }),
          log: bool()
            .prefault(true)
            .meta({ description: 'Whether the first token is logged, once, as client_token.' }),
        }),
      }),
    }),
  }),

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
