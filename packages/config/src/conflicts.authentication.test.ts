import t from 'tap'
import { loadText, problemsOf } from './loading.test.support.ts'

const methods = 'authentication.methods'

const registered = 'client_id: flags\n  client_secret: a-secret-of-ours'

const oidc = (provider: string) =>
  `${methods}.oidc.enabled: true\n${methods}.oidc.providers.corp:\n  ${provider}\n`
const codehost = (rest: string) => `${methods}.codehost:\n  enabled: true\n  ${rest}\n`
const workloads = (rest: string) => `${methods}.orchestrator:\n  enabled: true\n  ${rest}\n`
const jwt = (issuer: string) =>
  `${methods}.jwt.enabled: true\n${methods}.jwt.issuers.ci:\n  ${issuer}\n`

const firstToken = (token: string) => `${methods}.token.bootstrap.token: ${token}\n`

const corp = `issuer_url: https://corp.example\n  ${registered}`
const ci = 'issuer: https://ci.example\n  audiences: [flags]\n  jwks_url: https://ci.example/keys'

const publicUrl = 'server.public_url: https://flags.example\n'

/** What is configured, and the key that the refusal names; none where it is fine. */
const table: readonly (readonly [string, string?])[] = [
  [`${methods}.oidc.enabled: true\n`, 'oidc.enabled is true, but'],
  [publicUrl + oidc(corp)],
  [oidc(`${corp}\n  redirect_address: https://flags.example`)],
  [oidc(corp), 'oidc.providers.corp.redirect_address'],
  [publicUrl + oidc(registered), 'oidc.providers.corp.issuer_url is missing'],
  [publicUrl + oidc('issuer_url: https://a.example'), 'oidc.providers.corp.client_id'],
  [publicUrl + oidc(`issuer_url: http://a.example\n  ${registered}`), 'corp.issuer_url is http'],
  [
    publicUrl + oidc(`issuer_url: http://a.example\n  allow_insecure: true\n  ${registered}`),
    'corp.issuer_url is http',
  ],
  [publicUrl + oidc(`issuer_url: http://127.0.0.1:1\n  allow_insecure: true\n  ${registered}`)],
  // What is off may be half written.
  [`${methods}.oidc.providers.corp.issuer_url: https://corp.example\n`],
  [publicUrl + codehost(registered)],
  [codehost('client_id: flags'), 'codehost.client_secret'],
  [
    publicUrl + codehost(`${registered}\n  allowed_organizations: [acme]`),
    'codehost.allowed_organizations needs the scope read:org',
  ],
  [
    publicUrl +
      codehost(
        `${registered}\n  scopes: [read:org]\n  allowed_organizations: [Acme]\n  allowed_teams: {acme: [core]}`,
      ),
  ],
  [
    publicUrl +
      codehost(
        `${registered}\n  scopes: [read:org]\n  allowed_organizations: [acme]\n  allowed_teams: {other: [core]}`,
      ),
    'codehost.allowed_teams',
  ],
  [workloads('audience: flags'), 'orchestrator.service_accounts'],
  [workloads('service_accounts: ["shop:*"]'), 'orchestrator.audience'],
  [workloads('audience: flags\n  service_accounts: ["shop:*=shop", "*"]')],
  [`${methods}.jwt.enabled: true\n`, 'jwt.enabled is true, but'],
  [jwt(ci)],
  [jwt('audiences: [flags]\n  jwks_url: https://ci.example/keys'), 'jwt.issuers.ci.issuer'],
  [jwt('issuer: a\n  jwks_url: https://ci.example/keys'), 'jwt.issuers.ci.audiences'],
  [jwt('issuer: a\n  audiences: [flags]'), 'jwt.issuers.ci.jwks_url'],
  [jwt(`${ci}\n  public_key_file: /key.pem`), 'jwt.issuers.ci.jwks_url'],
  [jwt('allow_any_issuer: true\n  allow_any_audience: true\n  jwks_url: https://ci.example/keys')],
  [jwt(`${ci}\n  algorithms: []`), 'jwt.issuers.ci.algorithms is empty'],
  [jwt(`${ci}\n  algorithms: [hs256]`), 'jwt.issuers.ci.algorithms[0] must be'],
  [jwt(`${ci}\n  algorithms: [RS256, none]`), 'jwt.issuers.ci.algorithms[1] must be'],
  [jwt(`${ci}\n  clock_tolerance: 2m`), 'jwt.issuers.ci.clock_tolerance must be'],
  [jwt(ci) + firstToken('looks.like-a.token'), 'token.bootstrap.token looks like a JWT'],
  [jwt(ci) + firstToken('looks-like-a.token')],
  [firstToken('looks.like-a.token')],
  ['internal.tls.ca_file: /ca.pem\n', 'internal.tls.ca_file'],
  ['internal.tls: {ca_file: /ca.pem, cert_file: /a.pem, key_file: /b.pem}\n'],
]

t.test('a method that is enabled has what it needs, or the start is refused', async (t) => {
  const directory = t.testdir()
  for (const [text, expected] of table) {
    const problems = problemsOf(() => loadText(directory, text), directory)
    if (expected === undefined) t.strictSame(problems, [], text)
    else t.match(problems.join('\n'), expected, text)
  }
})
