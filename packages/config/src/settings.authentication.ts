import { z } from 'zod'
import {
  bool,
  duration,
  listOf,
  namedSections,
  oneOf,
  origin,
  outboundUrl,
  path,
  pattern,
  secretText,
  text,
  textList,
  textMap,
} from './setting-kinds.ts'
import { signatureAlgorithms } from './signature-algorithms.ts'

/** Timers of Node.js count milliseconds in 31 bits: a longer one fires at once, again and again. */
const longestTimerMs = 2 ** 31 - 1

/** Longer than any token in use, and well within the 16 KiB that Node.js allows headers. */
const longestToken = 4096

const anyText = (what: string, maxLength = 255) =>
  text(what, (value) => value.length > 0 && value.length <= maxLength && !/[\0\r\n]/.test(value))

const cleanup = (what: string) =>
  z.strictObject({
    interval: duration(longestTimerMs)
      .prefault('1h')
      .meta({ description: `How often expired ${what} are deleted.` }),
    gracePeriod: duration()
      .prefault('30m')
      .meta({ description: `How long expired ${what} are kept before they may be deleted.` }),
  })

const tokenManagement = (who: string) =>
  bool()
    .prefault(false)
    .meta({
      description: `Whether ${who} may create, list and delete tokens, and end sessions.`,
    })

/** How this service reaches the far side of a login method; the same words for each of them. */
const outbound = {
  caFile: path().optional().meta({
    description: 'A file with the certificates, in PEM, to trust instead of the usual ones.',
    example: '/run/secrets/ca.pem',
  }),
  allowPrivateNetwork: bool().prefault(false).meta({
    description: 'Whether its addresses may be private ones, as those inside a cluster are.',
  }),
  allowInsecure: bool().prefault(false).meta({
    description: 'Whether http is accepted on this machine; for trying things out only.',
  }),
} as const

const clientId = () =>
  anyText('the id of this service there')
    .optional()
    .meta({ description: 'The id under which this service is registered there.', example: 'flags' })

const clientSecret = () =>
  secretText(1, longestToken).optional().meta({
    description: 'The secret that belongs to that id.',
    example: `\${CLIENT_SECRET}`,
    secret: true,
  })

const redirectAddress = () =>
  outboundUrl().optional().meta({
    description: 'Where browsers reach this service; server.public_url when left out.',
    example: 'https://flags.example.com',
  })

const oidcProvider = z.strictObject({
  displayName: anyText('a name of at most 255 characters').optional().meta({
    description: 'What its login button says; its name here when left out.',
    example: 'Example Accounts',
  }),
  issuerUrl: outboundUrl().optional().meta({
    description: 'The issuer, exactly as its discovery document and its tokens have it.',
    example: 'https://accounts.example.com',
  }),
  clientId: clientId(),
  clientSecret: clientSecret(),
  redirectAddress: redirectAddress(),
  scopes: listOf(anyText('a scope'))
    .prefault(['email', 'profile'])
    .meta({ description: 'What to ask for besides openid.' }),
  authorizeParameters: textMap(16, 2048)
    .prefault({})
    .meta({ description: 'Further parameters of the login request, such as prompt.', map: true }),
  claims: listOf(anyText('the name of a claim')).prefault([]).meta({
    description: 'Which claims of the ID token to keep besides those of name and e-mail.',
  }),
  trustUnverifiedEmail: bool().prefault(false).meta({
    description: 'Whether an e-mail address counts that the provider has not verified.',
  }),
  idTokenAlgorithm: oneOf(...signatureAlgorithms.map((name) => name.toLowerCase()))
    .prefault('rs256')
    .meta({ description: 'How its ID tokens are signed, in any case: RS256, ES256 and so on.' }),
  clientAuthentication: oneOf('basic', 'post')
    .prefault('basic')
    .meta({ description: 'How the secret is sent: basic (a header) or post (in the body).' }),
  ...outbound,
})

const jwtIssuer = z.strictObject({
  issuer: anyText('the iss of its tokens', 2048).optional().meta({
    description: 'What iss must be, exactly.',
    example: 'https://ci.example.com',
  }),
  allowAnyIssuer: bool().prefault(false).meta({
    description: 'Whether iss may be anything, so that only the keys decide.',
  }),
  audiences: listOf(anyText('an audience', 2048)).prefault([]).meta({
    description: 'What aud must name at least one of.',
  }),
  allowAnyAudience: bool().prefault(false).meta({
    description: 'Whether aud may be anything or missing: accepts tokens made for others.',
  }),
  subject: anyText('the sub of its tokens', 2048).optional().meta({
    description: 'What sub must be, exactly; any when left out.',
    example: 'deployments',
  }),
  jwksUrl: outboundUrl().optional().meta({
    description: 'Where its keys are; this or public_key_file.',
    example: 'https://ci.example.com/keys',
  }),
  publicKeyFile: path().optional().meta({
    description: 'A file with its public key or certificate, in PEM; this or jwks_url.',
    example: '/etc/svc/ci.pem',
  }),
  algorithms: listOf(oneOf(...signatureAlgorithms.map((name) => name.toLowerCase())))
    .prefault(['rs256', 'es256', 'eddsa'])
    .meta({ description: 'Which signatures are accepted, in any case.' }),
  requiredClaims: listOf(anyText('the name of a claim')).prefault([]).meta({
    description: 'Which claims a token must have besides exp, sub, iss and aud.',
  }),
  claims: listOf(anyText('the name of a claim')).prefault([]).meta({
    description: 'Which claims to keep besides iss, sub and those of user.',
  }),
  namespaceClaim: anyText('the name of a claim').optional().meta({
    description: 'A claim that names the one namespace in which the token is good.',
    example: 'flag_namespace',
  }),
  type: anyText('a media type').optional().meta({
    description: 'What typ in the header must be; JWT, at+jwt or nothing when left out.',
    example: 'at+jwt',
  }),
  clockTolerance: duration(60_000).prefault('30s').meta({
    description: 'How far its clock may be from ours, at most 1m.',
  }),
  maxTokenAge: duration().optional().meta({
    description: 'How long after iat a token is accepted; until exp when left out.',
    example: '1h',
  }),
  keysMaxStale: duration(24 * 3_600_000)
    .prefault('1h')
    .meta({
      description: 'How long the last keys are used while new ones cannot be fetched.',
    }),
  deniedSubjects: listOf(anyText('a sub', 2048)).prefault([]).meta({
    description: 'Tokens of these subjects are refused.',
  }),
  deniedIds: listOf(anyText('a jti', 2048)).prefault([]).meta({
    description: 'Tokens with these jti are refused.',
  }),
  notIssuedBefore: text(
    'a time such as 2026-01-31T12:00:00Z',
    (value) => z.iso.datetime({ offset: true }).safeParse(value).success,
  )
    .optional()
    .meta({
      description: 'Tokens whose iat is earlier are refused, those without iat as well.',
      example: '2026-01-31T12:00:00Z',
    }),
  ...outbound,
})

const session = z.strictObject({
  domain: text('a domain, without scheme and port', (value) => /^[a-z0-9.-]{1,253}$/i.test(value))
    .optional()
    .meta({
      description: 'The Domain of the cookies; without one they go to this host only.',
      example: 'example.com',
    }),
  insecure: bool().prefault(false).meta({
    description: 'Whether cookies go over plain http as well; for one machine only.',
  }),
  tokenLifetime: duration().prefault('24h').meta({
    description: 'How long a login lasts at most.',
  }),
  idleTimeout: duration()
    // Gateways tell of uses once a minute.
    .refine((ms) => ms >= 300_000, { error: 'must be at least 5m' })
    .optional()
    .meta({
      description: 'How long a login lasts without a request, 5m or more; no limit when left out.',
      example: '2h',
    }),
  stateLifetime: duration(3_600_000).prefault('10m').meta({
    description: 'How long somebody may take to log in at the far side.',
  }),
  csrf: z.strictObject({
    trustedOrigins: listOf(origin()).prefault([]).meta({
      description: 'Other origins whose pages may change things with the cookie.',
    }),
  }),
})

const token = z.strictObject({
  enabled: bool().prefault(true).meta({
    description: 'Whether static tokens can be created, and a first one is at the first start.',
  }),
  cleanup: cleanup('tokens'),
  bootstrap: z.strictObject({
    token: secretText(16, longestToken).optional().meta({
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
})

const oidc = z.strictObject({
  enabled: bool().prefault(false).meta({
    description: 'Whether browsers can log in at OpenID Connect providers.',
  }),
  cleanup: cleanup('logins'),
  emailMatches: listOf(pattern()).prefault([]).meta({
    description: 'Patterns for whole e-mail addresses, one of which has to match at each request.',
  }),
  providers: namedSections(oidcProvider),
})

const codehost = z.strictObject({
  enabled: bool().prefault(false).meta({
    description: 'Whether browsers can log in at a code host, by OAuth 2.0.',
  }),
  cleanup: cleanup('logins'),
  serverUrl: outboundUrl().prefault('https://github.com').meta({
    description: 'The code host, where people log in.',
  }),
  apiUrl: outboundUrl().prefault('https://api.github.com').meta({
    description: 'Its API, where accounts and memberships are read.',
  }),
  clientId: clientId(),
  clientSecret: clientSecret(),
  redirectAddress: redirectAddress(),
  scopes: listOf(anyText('a scope')).prefault(['read:user', 'user:email']).meta({
    description: 'What to ask for; organizations and teams need read:org as well.',
  }),
  allowedOrganizations: listOf(anyText('an organization')).prefault([]).meta({
    description: 'Whose members may log in, by login or numeric id; anyone when empty.',
  }),
  allowedTeams: textList(64, 8192).prefault({}).meta({
    description: 'Which teams of an organization may, as lists by organization.',
    map: true,
  }),
  recheckInterval: duration(longestTimerMs).prefault('15m').meta({
    description: 'How often the memberships of those logged in are looked at again.',
  }),
  ...outbound,
})

const orchestrator = z.strictObject({
  enabled: bool().prefault(false).meta({
    description: 'Whether workloads of the cluster can exchange their service-account tokens.',
  }),
  cleanup: cleanup('tokens of workloads'),
  apiUrl: outboundUrl().prefault('https://kubernetes.default.svc').meta({
    description: 'The API server of the cluster.',
  }),
  caFile: path().prefault('/var/run/secrets/kubernetes.io/serviceaccount/ca.crt').meta({
    description: 'A file with the certificates, in PEM, that the API server is known by.',
  }),
  tokenFile: path().prefault('/var/run/secrets/kubernetes.io/serviceaccount/token').meta({
    description: 'A file with the token by which this service calls the API server.',
  }),
  audience: anyText('an audience').optional().meta({
    description: 'The audience that the tokens of workloads must be made for.',
    example: 'flags',
  }),
  allowApiServerAudience: bool().prefault(false).meta({
    description: "Whether the audience may be the API server's own.",
  }),
  serviceAccounts: listOf(
    text('namespace:name or namespace:name=flags, each with * for any', (value) =>
      /^(?:\*|(?:[a-z0-9*.-]{1,253}:[a-z0-9*.-]{1,253}))(?:=[-_A-Za-z0-9]{1,255})?$/.test(value),
    ),
  )
    .prefault([])
    .meta({
      description: 'Which service accounts may, as namespace:name; =flags binds to a namespace.',
    }),
  maxTtl: duration(3_600_000).prefault('1h').meta({
    description: 'How long a client token made for a workload lasts, at most 1h.',
  }),
  tokenManagement: tokenManagement('workloads'),
  allowInsecure: outbound.allowInsecure,
})

const jwt = z.strictObject({
  enabled: bool().prefault(false).meta({
    description: 'Whether tokens are accepted that others have signed.',
  }),
  tokenManagement: tokenManagement('their holders'),
  issuers: namedSections(jwtIssuer),
})

export const authenticationSettings = z.strictObject({
  required: bool().prefault(true).meta({ description: 'Whether requests need a credential.' }),
  exclude: z.strictObject({
    management: bool().prefault(false).meta({
      description: 'Whether /api/v1 is exempt from authentication.required; mind who can reach it.',
    }),
    evaluation: bool()
      .prefault(false)
      .meta({ description: 'Whether /evaluate/v1 is exempt from authentication.required.' }),
    ofrep: bool()
      .prefault(false)
      .meta({ description: 'Whether /ofrep/v1 is exempt from authentication.required.' }),
    metadata: bool()
      .prefault(false)
      .meta({ description: 'Whether /meta/info is exempt from authentication.required.' }),
  }),
  session,
  methods: z.strictObject({ token, oidc, codehost, orchestrator, jwt }),
})
