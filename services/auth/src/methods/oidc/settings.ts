import { methodSection, methodSwitch, notEmpty, present, type SettingsOf } from '@svc/config'
import {
  bool,
  line,
  listOf,
  namedSections,
  oneOf,
  optional,
  outboundUrl,
  pattern,
  section,
  textMap,
} from '@svc/config/kinds'
import { cleanup } from '../../credentials/settings.ts'
import { encrypted, outboundSettings } from '../../outbound/settings.ts'
import { algorithmNames } from '../algorithms.ts'
import { registrationRequirements, registrationSettings } from '../login/settings.ts'

const provider = section({
  displayName: optional(line('a name of at most 255 characters'), 'Example Accounts').describe(
    'The label of its login button; its name here when left out.',
  ),
  issuerUrl: optional(outboundUrl(), 'https://accounts.example.com').describe(
    'The issuer, exactly as its discovery document and its tokens have it.',
  ),
  ...registrationSettings,
  scopes: listOf(line('a scope'), ['email', 'profile']).describe(
    'Scopes to request besides openid.',
  ),
  authorizeParameters: textMap(16, 2048).describe(
    'Further parameters of the login request, such as prompt.',
  ),
  claims: listOf(line('the name of a claim')).describe(
    'Which claims of the ID token to keep besides those of name and e-mail.',
  ),
  trustUnverifiedEmail: bool(false).describe(
    'Whether an e-mail address counts that the provider has not verified.',
  ),
  idTokenAlgorithm: oneOf(...algorithmNames)
    .prefault('rs256')
    .describe('How its ID tokens are signed, in any case: RS256, ES256 and so on.'),
  clientAuthentication: oneOf('basic', 'post')
    .prefault('basic')
    .describe('How the secret is sent: basic (a header) or post (in the body).'),
  ...outboundSettings,
})

export type ProviderSettings = SettingsOf<typeof provider>

const schema = section({
  enabled: methodSwitch('oidc').describe(
    'Whether browsers can log in at OpenID Connect providers.',
  ),
  cleanup: cleanup('logins'),
  emailMatches: listOf(pattern()).describe(
    'Patterns for whole e-mail addresses, one of which has to match at each request.',
  ),
  providers: namedSections(provider),
})

export type OidcSettings = SettingsOf<typeof schema>

export const oidcSection = methodSection(schema, ({ enabled, providers }, all) => {
  if (!enabled) return []
  const key = 'authentication.methods.oidc'
  return [
    notEmpty(`${key}.enabled`, providers, `${key}.providers names none`),
    ...Object.entries(providers).flatMap(([name, provider]) => {
      const { allowInsecure, issuerUrl } = provider
      return [
        present(`${key}.providers.${name}.issuer_url`, issuerUrl),
        encrypted(`${key}.providers.${name}.issuer_url`, issuerUrl, allowInsecure),
        ...registrationRequirements(`${key}.providers.${name}`, provider, all),
      ]
    }),
  ]
})
