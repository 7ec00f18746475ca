import {
  methodSection,
  methodSwitch,
  notEmpty,
  type Requirement,
  type SettingsOf,
} from '@svc/config'
import {
  bool,
  duration,
  instant,
  line,
  listOf,
  namedSections,
  oneOf,
  optional,
  outboundUrl,
  path,
  section,
} from '@svc/config/kinds'
import { tokenManagement } from '../../credentials/settings.ts'
import { encrypted, outboundSettings } from '../../outbound/settings.ts'
import { algorithmNames } from '../algorithms.ts'

const issuer = section({
  issuer: optional(line('the iss of its tokens', 2048), 'https://ci.example.com').describe(
    'What iss must be, exactly.',
  ),
  allowAnyIssuer: bool(false).describe('Whether iss may be anything: only the keys decide.'),
  audiences: listOf(line('an audience', 2048)).describe('What aud must name at least one of.'),
  allowAnyAudience: bool(false).describe(
    'Whether aud may be anything or missing: accepts tokens for other services.',
  ),
  subject: optional(line('the sub of its tokens', 2048), 'deployments').describe(
    'What sub must be, exactly; any when left out.',
  ),
  jwksUrl: optional(outboundUrl(), 'https://ci.example.com/keys').describe(
    'The URL of its keys; this or public_key_file.',
  ),
  publicKeyFile: optional(path(), '/etc/svc/ci.pem').describe(
    'A file with its public key or certificate, in PEM; this or jwks_url.',
  ),
  algorithms: listOf(oneOf(...algorithmNames), ['rs256', 'es256', 'eddsa']).describe(
    'Which signatures are accepted, in any case.',
  ),
  requiredClaims: listOf(line('the name of a claim')).describe(
    'Which claims a token must have besides exp, sub, iss and aud.',
  ),
  claims: listOf(line('the name of a claim')).describe(
    'Which claims to keep besides iss, sub and those of user.',
  ),
  namespaceClaim: optional(line('the name of a claim'), 'flag_namespace').describe(
    'A claim that names the one namespace for which the token is valid.',
  ),
  type: optional(line('a media type'), 'at+jwt').describe(
    'What typ in the header must be; JWT, at+jwt or nothing when left out.',
  ),
  clockTolerance: duration(60_000)
    .prefault('30s')
    .describe('Accepted difference between its clock and ours, at most 1m.'),
  maxTokenAge: optional(duration(), '1h').describe(
    'How long after iat a token is accepted; until exp when left out.',
  ),
  keysMaxStale: duration(24 * 3_600_000)
    .prefault('1h')
    .describe('How long the last keys are used while new ones cannot be fetched.'),
  deniedSubjects: listOf(line('a sub', 2048)).describe('Tokens of these subjects are refused.'),
  deniedIds: listOf(line('a jti', 2048)).describe('Tokens with these jti are refused.'),
  notIssuedBefore: optional(instant(), '2026-01-31T12:00:00Z').describe(
    'Tokens whose iat is earlier, or that have none, are refused.',
  ),
  ...outboundSettings,
})

export type IssuerSettings = SettingsOf<typeof issuer>

const schema = section({
  enabled: methodSwitch('jwt').describe('Whether signed tokens (JWTs) of issuers are accepted.'),
  tokenManagement: tokenManagement('their holders'),
  issuers: namedSections(issuer),
})

export type JwtSettings = SettingsOf<typeof schema>

export const jwtSection = methodSection(schema, ({ enabled, issuers }) => {
  if (!enabled) return []
  const key = 'authentication.methods.jwt'
  return [
    notEmpty(`${key}.enabled`, issuers, `${key}.issuers names none`),
    ...Object.entries(issuers).flatMap(([name, issuer]) =>
      issuerRequirements(`${key}.issuers.${name}`, issuer),
    ),
  ]
})

function issuerRequirements(key: string, issuer: IssuerSettings): Requirement[] {
  const keySources = [issuer.jwksUrl, issuer.publicKeyFile].filter((one) => one !== undefined)
  return [
    {
      key: `${key}.issuer`,
      isMet: issuer.issuer !== undefined || issuer.allowAnyIssuer,
      wrong: 'is missing, so that a token of any issuer with a known key would be accepted',
      remedy: `Set it, or ${key}.allow_any_issuer to true`,
    },
    {
      key: `${key}.audiences`,
      isMet: issuer.audiences.length > 0 || issuer.allowAnyAudience,
      wrong: 'is missing, so that tokens for other services would be accepted',
      remedy: `Set it, or ${key}.allow_any_audience to true`,
    },
    {
      key: `${key}.jwks_url`,
      isMet: keySources.length === 1,
      wrong: 'or public_key_file has to be given, and only one of them',
      remedy: 'Say where the keys are',
    },
    encrypted(`${key}.jwks_url`, issuer.jwksUrl, issuer.allowInsecure),
    notEmpty(`${key}.algorithms`, issuer.algorithms, 'is empty, so that no token is accepted'),
  ]
}
