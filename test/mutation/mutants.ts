// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of code.

/** One deliberate weakening of the checks that decide who may do what. */
export interface Mutant {
  /** What is no longer so. */
  readonly name: string
  /** The source that it is in; what is changed is what that was compiled to. */
  readonly file: string
  /** Stands there exactly once. */
  readonly from: string
  readonly to: string
  /** One of these has to fail. */
  readonly tests: readonly string[]
}

type Weakening = readonly [name: string, from: string, to: string]

function of(file: string, tests: readonly string[], all: readonly Weakening[]): Mutant[] {
  return all.map(([name, from, to]) => ({ name, file, from, to, tests }))
}

const auth = 'services/auth/src'
const gateway = 'services/gateway/src'
const access = 'packages/access/src'
const contract = 'packages/contract/src'
const rpc = 'packages/rpc/src'

const tokens: readonly Mutant[] = [
  ...of(
    `${auth}/credentials/lookup/authenticate.ts`,
    [`${auth}/credentials/lookup/authenticate.test.ts`],
    [
      ['a token is good in the instant of its expiry', 'expiresInMs <= 0', 'expiresInMs < 0'],
      ['an unknown token is good', "found === 'unknown'", 'false'],
    ],
  ),
  ...of(
    `${auth}/credentials/records/token.ts`,
    [`${auth}/credentials/records/token.test.ts`],
    [
      [
        'checksums of tokens say nothing',
        'return token.slice(bodyLength) ===',
        'return true || token ===',
      ],
      ['a credential may consist of anything', '!/^[\\x21-\\x7e]{1,4096}$/.test(token)', 'false'],
    ],
  ),
  ...of(
    `${auth}/methods/token/new-token.ts`,
    [`${auth}/methods/token/new-token.test.ts`],
    [['callers write reserved metadata', 'key.toLowerCase().startsWith(reservedPrefix)', 'false']],
  ),
  ...of(
    `${contract}/fields.ts`,
    [`${auth}/methods/token/new-token.test.ts`],
    [['a token is bound to what is no namespace', '!keyPattern.test(text)', 'false']],
  ),
  ...of(
    `${auth}/credentials/callers.ts`,
    [`${auth}/credentials/authentications.rpc.test.ts`],
    [['bound tokens manage tokens', 'authorize(everywhere, caller, [])', '']],
  ),
  ...of(
    `${auth}/credentials/callers.ts`,
    ['test/integration/jwt.test.ts'],
    [['workloads manage tokens', 'hooks?.managesTokens === false', 'false']],
  ),
  ...of(
    `${auth}/credentials/cache/cache-entry.ts`,
    [`${auth}/credentials/cache/cache-entry.test.ts`],
    [
      ['forged entries of the cache are believed', '!timingSafeEqual(mac, expected)', 'false'],
      ['old entries of the cache are believed', 'nowMs < untilMs ?', 'true ?'],
      ['an entry is good for another token', '\\n${tokenHash}\\n', '\\n'],
    ],
  ),
  ...of(
    `${auth}/credentials/lookup/token-lookup.ts`,
    [
      `${auth}/credentials/lookup/token-lookup.test.ts`,
      `${auth}/credentials/lookup/replicas.slow.test.ts`,
    ],
    [
      ['a lookup brings back what was revoked meanwhile', 'isOutdated() ||', ''],
      ['caches are believed while nothing is heard of revocations', 'isFollowing() &&', ''],
      ['what was revoked lately is believed from caches', '!revocations.has(tokenHash)', 'true'],
    ],
  ),
  ...of(
    `${auth}/credentials/cache/redis-cache.ts`,
    [`${auth}/credentials/cache/redis-cache.test.ts`],
    [['an entry is written over a tombstone', "redis.call('EXISTS', KEYS[1]) == 0", 'true']],
  ),
]

const jwts: readonly Mutant[] = [
  ...of(
    `${auth}/methods/jwt/issuer.ts`,
    [`${auth}/methods/jwt/vectors.test.ts`, `${auth}/methods/jwt/jwt.test.ts`],
    [
      [
        'critical extensions are passed over',
        'refusedMembers.some((name) => header.has(name))',
        'false',
      ],
      ['tokens of any type are taken', '!usualTypes.includes(short)', 'false'],
    ],
  ),
  ...of(
    `${auth}/methods/jwt/compact.ts`,
    [`${auth}/methods/jwt/vectors.test.ts`],
    [
      ['a byte has several spellings', "bytes.toString('base64url') !== part", 'false'],
      ['a claim may be there twice', 'isSame(namesOf(value, maxDepth), namesIn(text))', 'true'],
    ],
  ),
  ...of(
    `${auth}/methods/jwt/claims.ts`,
    [`${auth}/methods/jwt/vectors.test.ts`, `${auth}/methods/jwt/jwt.test.ts`],
    [
      ['a token of events is an ID token', "claims.has('events')", 'false'],
      ['a subject may be of any type', 'sub: isText,', ''],
      ['a token may be from before 1970', 'iat: isTime,', ''],
      ['a token may be from the future', 'iat > now + settings.clockTolerance / 1000', 'false'],
      ['a token may be good for ever', 'exp > now + maxLifetime', 'false'],
      ['those who were denied are let in', 'deniedSubjects.includes(sub) ||', ''],
      ['tokens that were denied are good', 'deniedIds.includes(jti)', 'false'],
    ],
  ),
  ...of(
    `${auth}/methods/jwt/issuer.ts`,
    [`${auth}/methods/jwt/vectors.test.ts`, `${auth}/methods/jwt/jwt.test.ts`],
    [
      ['any audience will do', '...(audiences.length > 0 &&', '...(false &&'],
      ['jose requires no claims', "requiredClaims: ['iss', 'sub', 'exp'],", ''],
    ],
  ),
  ...of(
    `${auth}/methods/jwt/signing-keys.ts`,
    [`${auth}/methods/jwt/signing-keys.test.ts`, `${auth}/methods/jwt/vectors.test.ts`],
    [
      ['short keys are taken', 'bits >= rsaBits.least', 'true'],
      ['keys for other ends are taken', "operations.includes('verify')", 'true'],
      ['keys that are no secret are taken', 'd !== undefined ||', ''],
      ['a key is good for any algorithm', 'algorithm === wanted.algorithm &&', ''],
      ['there may be any number of keys', 'keys.length > maxKeys', 'false'],
    ],
  ),
]

const logins: readonly Mutant[] = [
  ...of(
    `${auth}/methods/login/flow.ts`,
    [`${auth}/methods/login/flow.test.ts`],
    [
      ['a login may take for ever', '|| hasExpired', ''],
      ['a login may be finished twice', '!(await replays.claim(', '!(await ((..._) => true)('],
      [
        'a login may be finished elsewhere',
        "['flow 1', provider, issuer, cookie, beganAt]",
        "['flow 1', beganAt]",
      ],
    ],
  ),
  ...of(
    `${auth}/methods/login/flow.ts`,
    [`${auth}/methods/login/redirects.test.ts`],
    [
      ['a login leads to another host', '(?![/\\\\])', ''],
      ['the way back may be of any length', 'target.length <= maxLength', 'true'],
    ],
  ),
  ...of(
    `${auth}/outbound/outbound.addresses.ts`,
    [`${auth}/outbound/outbound.test.ts`],
    [
      ['the metadata of a cloud may be asked for', "'169.254.0.0/16', ", ''],
      ['http goes to other machines', 'if (isPlain)', 'if (false)'],
    ],
  ),
  ...of(
    `${auth}/outbound/outbound.ts`,
    [`${auth}/outbound/outbound.test.ts`],
    [['an answer may be of any length', 'length > maxBytes', 'false']],
  ),
  ...of(
    `${auth}/methods/oidc/login-policy.ts`,
    [`${auth}/methods/oidc/login-policy.test.ts`],
    [
      [
        'an address need not be verified',
        '!(isVerified || provider.trustUnverifiedEmail)',
        'false',
      ],
      ['a pattern matches a part of an address', '.matches()', '.find()'],
    ],
  ),
  ...of(
    `${auth}/methods/oidc/logout-token.ts`,
    [`${auth}/methods/oidc/logout-token.test.ts`],
    [
      ['an ID token logs people out', 'nonce !== undefined ||', ''],
      ['any token logs people out', '!isLogout ||', ''],
      ['a word to another service logs people out', "audience: settings.clientId ?? '',", ''],
    ],
  ),
  ...of(
    `${auth}/methods/codehost/access.ts`,
    [`${auth}/methods/codehost/access.test.ts`],
    [
      ['a login that looks like an id is one', '/^\\d+$/.test(name)', 'false'],
      ['a team of another organization will do', 'organization.id === id', 'true'],
    ],
  ),
  ...of(
    `${auth}/methods/orchestrator/verdict.ts`,
    [`${auth}/methods/orchestrator/verdict.test.ts`],
    [
      ['whom the cluster does not know is let in', 'authenticated !== true', 'false'],
      ['a token for others will do', '!audiences.includes(audience)', 'false'],
    ],
  ),
  ...of(
    `${auth}/methods/orchestrator/allowed-accounts.ts`,
    [`${auth}/methods/orchestrator/allowed-accounts.test.ts`],
    [
      ['an account of another namespace will do', 'rule.namespace(namespace) &&', ''],
      ['a dot of a pattern is any character', ".replaceAll('.', '\\\\.')", ''],
    ],
  ),
]

const edge: readonly Mutant[] = [
  ...of(
    `${access}/assertion.ts`,
    ['test/integration/assertions.test.ts'],
    [
      ['forged assertions are believed', '!isSameMac(macOf(key, text), mac)', 'false'],
      ['old assertions are believed', 'ageMs <= this.#maxAgeMs + clockToleranceMs', 'true'],
      ['assertions for others are believed', 'payload.aud !== audience', 'false'],
    ],
  ),
  ...of(
    `${rpc}/call-authenticator.ts`,
    [`${rpc}/call-authenticator.test.ts`],
    [
      ['calls without the secret are answered', "return 'missing_secret'", 'return undefined'],
      ['any secret is accepted', 'timingSafeEqual(expected, given)', 'true'],
      ['the previous secret is refused', '= secrets.map(', '= secrets.slice(0, 1).map('],
      ['secrets beside the right one are ignored', 'others.length === 0 && ', ''],
    ],
  ),
  ...of(
    `${access}/addresses.ts`,
    [`${access}/addresses.test.ts`],
    [
      [
        'tokens are good from anywhere',
        'return list.check(address, nameOf(version))',
        'return true',
      ],
    ],
  ),
  ...of(
    `${gateway}/identity/cookies.ts`,
    [`${gateway}/identity/cookies.test.ts`],
    [
      ['of two logins the first counts', 'others.length > 0', 'false'],
      ['cookies carry JWTs', '|| isJwtShaped(token)', ''],
    ],
  ),
  ...of(
    `${gateway}/identity/credential.ts`,
    [`${gateway}/identity/credential.test.ts`],
    [['of two headers the last counts', 'if (found !== undefined)', 'if (false)']],
  ),
  ...of(
    `${gateway}/identity/cross-site.ts`,
    [`${gateway}/identity/cross-site.test.ts`],
    [
      ['pages of other sites change things', "site === 'same-origin' || site === 'none'", 'true'],
      ['old browsers are believed', 'origin === undefined || origin === own', 'true'],
      ['forms change things', 'needsType && !isJson(request)', 'false'],
    ],
  ),
  ...of(
    `${contract}/decode.ts`,
    [`${gateway}/answers/remote/answerer.test.ts`],
    [['a request names two namespaces', 'other && other !== effective', 'false']],
  ),
  ...of(
    `${access}/authorize.ts`,
    [`${access}/authorize.test.ts`],
    [
      ["what names no namespace is every caller's", 'namespaceKeys.length > 0 &&', ''],
      ['one of the namespaces has to be the own', 'namespaceKeys.every(', 'namespaceKeys.some('],
    ],
  ),
  ...of(
    `${gateway}/identity/identities.ts`,
    [`${gateway}/identity/identities.test.ts`],
    [
      [
        'management goes on without auth',
        'maxStaleManagementMs = 5000',
        'maxStaleManagementMs = 5e9',
      ],
      ['silence of auth is not noticed', 'silenceMs = 2500', 'silenceMs = 25e9'],
    ],
  ),
]

export const mutants: readonly Mutant[] = [...tokens, ...jwts, ...logins, ...edge]
