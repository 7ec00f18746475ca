/** What a process measures: one entry an instrument, from which views, documents and types are made. */
export interface InstrumentDescription {
  readonly kind: 'counter' | 'histogram' | 'gauge'
  /** In UCUM, such as `s` or `By`; the name in Prometheus ends with it. */
  readonly unit?: 's' | 'By' | '1'
  /** One sentence, for `# HELP` and docs/metrics.md. */
  readonly about: string
  /** Attributes, as OpenTelemetry names them; others are dropped. */
  readonly labels: readonly string[]
  /** Maximum combinations of their values; what is more is counted together. */
  readonly limit: number
  /** How many of these are for what is beyond the others, where its caller says how that is told apart. */
  readonly overflowLimit?: number
  /** Upper bounds of a histogram's buckets but the last: at most 7. */
  readonly bounds?: readonly number[]
  /** Services that have it; all when left out. */
  readonly of?: readonly ('gateway' | 'auth' | 'resource')[]
}

/** Of requests and calls, in seconds. */
const requestBounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10] as const

/** Of calls between the services, of which there are many kinds: fewer buckets. */
const callBounds = [0.002, 0.01, 0.05, 0.25, 2] as const

export const instruments = {
  'http.server.request.duration': {
    kind: 'histogram',
    unit: 's',
    about:
      'Time from a request to its answer, but for event streams and probes. The status is 499 where the client left before its request had arrived. http_route is left out where no route matched, or the event loop could not keep up. After 100 series it is left out, too, and the method is _OTHER.',
    labels: ['http.request.method', 'http.route', 'http.response.status_code'],
    limit: 130,
    overflowLimit: 30,
    bounds: requestBounds,
    of: ['gateway'],
  },
  'svc.evaluations': {
    kind: 'counter',
    about:
      'Evaluations of flags. After 100 namespaces, and of one that there is not, the namespace is _other; flag is there with metrics.per_flag.',
    labels: ['namespace', 'kind', 'reason', 'flag'],
    limit: 1050,
    of: ['gateway'],
  },
  'svc.evaluation.duration': {
    kind: 'histogram',
    unit: 's',
    about: 'Time of one evaluation; of several in a request, their mean.',
    labels: [],
    limit: 1,
    bounds: [1e-6, 5e-6, 2e-5, 1e-4, 1e-3, 1e-2, 0.1],
    of: ['gateway'],
  },
  'svc.refused': {
    kind: 'counter',
    about:
      'Requests that were refused for their number or size, and not for what they ask: overload, throttle (429 after failures), streams, queue, size.',
    labels: ['reason'],
    limit: 8,
  },
  'rpc.client.call.duration': {
    kind: 'histogram',
    unit: 's',
    about:
      'Time of a call to another service, with its retries; streams are not in it. After 45 series the method is left out.',
    labels: ['rpc.method', 'rpc.response.status_code'],
    limit: 60,
    overflowLimit: 15,
    bounds: callBounds,
    of: ['gateway'],
  },
  'rpc.server.call.duration': {
    kind: 'histogram',
    unit: 's',
    about:
      'Time in which a call was answered; streams are not in it. After 135 series the method is left out.',
    labels: ['rpc.method', 'rpc.response.status_code'],
    limit: 150,
    overflowLimit: 15,
    bounds: callBounds,
    of: ['auth', 'resource'],
  },
  'svc.rpc.endpoints': {
    kind: 'gauge',
    about:
      'Replicas of a service that this gateway knows, by the state of its connection to each, as gRPC names it.',
    labels: ['service', 'state'],
    limit: 10,
    of: ['gateway'],
  },
  'db.client.operation.duration': {
    kind: 'histogram',
    unit: 's',
    about:
      'Time of a statement, by the word that it begins with; error_type is there when it failed.',
    labels: ['db.system.name', 'db.operation.name', 'error.type'],
    limit: 20,
    bounds: [0.0005, 0.001, 0.005, 0.02, 0.1, 0.5, 2],
    of: ['auth', 'resource'],
  },
  'svc.database.writable': {
    kind: 'gauge',
    about: 'Whether the database takes changes: 0 when it is read-only or unavailable.',
    labels: [],
    limit: 1,
    of: ['auth', 'resource'],
  },
  'svc.pool.connections': {
    kind: 'gauge',
    about: 'Connections to the database: state is used, idle or connecting.',
    labels: ['pool', 'state'],
    limit: 8,
    of: ['auth', 'resource'],
  },
  'svc.pool.waiting': {
    kind: 'gauge',
    about: 'Callers that wait for a connection to the database.',
    labels: ['pool'],
    limit: 4,
    of: ['auth', 'resource'],
  },
  'svc.identity.lookups': {
    kind: 'counter',
    about:
      'Looks for who has a token, in memory, Redis and PostgreSQL: hit, miss, or refused where it is known to be none.',
    labels: ['layer', 'result'],
    limit: 9,
    of: ['gateway', 'auth'],
  },
  'svc.authentications': {
    kind: 'counter',
    about:
      'Logins, exchanges of credentials, and look-ups of credentials that a gateway does not remember, by method: ok, or the class of the reason.',
    labels: ['method', 'result'],
    limit: 72,
    of: ['auth'],
  },
  'svc.revocation.age': {
    kind: 'gauge',
    unit: 's',
    about: 'Time since revocations were last known to have been received.',
    labels: [],
    limit: 1,
    of: ['gateway', 'auth'],
  },
  'svc.outbound.requests': {
    kind: 'counter',
    about: 'Requests to identity providers, code hosts and the API server of a cluster.',
    labels: ['peer', 'result'],
    limit: 32,
    of: ['auth'],
  },
  'svc.replica.age': {
    kind: 'gauge',
    unit: 's',
    about:
      'Time since the flags in this gateway were last known to be all there is; until it has them, since the process began.',
    labels: [],
    limit: 1,
    of: ['gateway'],
  },
  'svc.replica.revision': {
    kind: 'gauge',
    about: 'The latest revision that this gateway has.',
    labels: [],
    limit: 1,
    of: ['gateway'],
  },
  'svc.replica.bytes': {
    kind: 'gauge',
    unit: 'By',
    about:
      'Size of the flags in this gateway as they are kept; compiled they take several times as much.',
    labels: [],
    limit: 1,
    of: ['gateway'],
  },
  'svc.propagation': {
    kind: 'histogram',
    unit: 's',
    about: 'Time from the commit of a change until this gateway evaluates with it.',
    labels: [],
    limit: 1,
    // 1 is the threshold of SvcPropagationSlow.
    bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 1, 5],
    of: ['gateway'],
  },
  'svc.streams': {
    kind: 'gauge',
    about:
      'Open event streams of clients, by what they are about; rpc is the streams that a service sends to gateways.',
    labels: ['kind'],
    limit: 4,
  },
  'svc.build_info': {
    kind: 'gauge',
    about: '1, with the version, the commit that it was built from, and the version of Node.js.',
    labels: ['version', 'revision', 'node'],
    limit: 1,
  },
  'process.cpu.time': {
    kind: 'counter',
    unit: 's',
    about: 'Processor time of this process.',
    labels: ['cpu.mode'],
    limit: 2,
  },
  'process.memory.usage': {
    kind: 'gauge',
    unit: 'By',
    about: 'Resident memory of this process.',
    labels: [],
    limit: 1,
  },
  'process.uptime': {
    kind: 'gauge',
    unit: 's',
    about: 'Time since this process began.',
    labels: [],
    limit: 1,
  },
  'process.unix.file_descriptor.count': {
    kind: 'gauge',
    about: 'Open files and connections of this process, where the system says it.',
    labels: [],
    limit: 1,
  },
  'v8js.memory.heap.used': {
    kind: 'gauge',
    unit: 'By',
    about: 'Memory in use for objects of JavaScript.',
    labels: [],
    limit: 1,
  },
  'v8js.memory.heap.limit': {
    kind: 'gauge',
    unit: 'By',
    about: 'Maximum memory for objects of JavaScript.',
    labels: [],
    limit: 1,
  },
  'nodejs.eventloop.delay.p50': {
    kind: 'gauge',
    unit: 's',
    about: 'Median delay of the event loop in the last 15 s that have ended.',
    labels: [],
    limit: 1,
  },
  'nodejs.eventloop.delay.p99': {
    kind: 'gauge',
    unit: 's',
    about: '99th percentile of the delay of the event loop in the last 15 s that have ended.',
    labels: [],
    limit: 1,
  },
  'nodejs.eventloop.delay.max': {
    kind: 'gauge',
    unit: 's',
    about: 'Maximum delay of the event loop in the last minute.',
    labels: [],
    limit: 1,
  },
  'nodejs.eventloop.utilization': {
    kind: 'gauge',
    unit: '1',
    about: 'Share of the last 15 s that have ended in which the event loop was busy, from 0 to 1.',
    labels: [],
    limit: 1,
  },
  'svc.certificate.expiry.timestamp': {
    kind: 'gauge',
    unit: 's',
    about: 'When the certificate of internal.tls expires, as a Unix time; with mTLS alone.',
    labels: [],
    limit: 1,
  },
  'svc.tokens.expiring': {
    kind: 'gauge',
    about: 'Static tokens that were used within the last week and expire within the next.',
    labels: [],
    limit: 1,
    of: ['auth'],
  },
} as const satisfies Readonly<Record<string, InstrumentDescription>>

type Instruments = typeof instruments

/** The names of the instruments of a kind. */
export type InstrumentName<Kind extends InstrumentDescription['kind']> = {
  readonly [Name in keyof Instruments]: Instruments[Name]['kind'] extends Kind ? Name : never
}[keyof Instruments]
