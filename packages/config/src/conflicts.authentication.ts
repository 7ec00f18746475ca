import { isJwtShaped } from '@svc/access'
import type { Settings } from './settings.ts'

/** Two settings that cannot both be meant, or one that another needs. */
export interface Conflict {
  readonly key: string
  readonly wrong: string
  readonly remedy: string
}

type Methods = Settings['authentication']['methods']

interface Requirement {
  readonly key: string
  readonly isMet: boolean
  readonly wrong: string
  readonly remedy: string
}

/** What the methods need that are enabled. What is off may be half written. */
export function findMethodConflicts({ authentication, server }: Settings): Conflict[] {
  const { token, oidc, codehost, orchestrator, jwt } = authentication.methods
  const hasPublicUrl = server.publicUrl !== undefined
  const requirements = [
    ...(oidc.enabled ? oidcRequirements(oidc, hasPublicUrl) : []),
    ...(codehost.enabled ? codehostRequirements(codehost, hasPublicUrl) : []),
    ...(orchestrator.enabled ? orchestratorRequirements(orchestrator) : []),
    ...(jwt.enabled ? [...jwtRequirements(jwt), notTakenForJwt(token)] : []),
  ]
  return requirements.filter(({ isMet }) => !isMet)
}

interface Registered {
  readonly clientId?: unknown
  readonly clientSecret?: unknown
  readonly redirectAddress?: unknown
}

function oidcRequirements({ providers }: Methods['oidc'], hasPublicUrl: boolean): Requirement[] {
  const section = 'authentication.methods.oidc'
  const each = Object.entries(providers).flatMap(([name, provider]) => {
    const key = `${section}.providers.${name}`
    return [
      present(`${key}.issuer_url`, provider.issuerUrl),
      secure(`${key}.issuer_url`, provider.issuerUrl, provider.allowInsecure),
      ...registration(key, provider, hasPublicUrl),
    ]
  })
  return [notEmpty(`${section}.enabled`, providers, `${section}.providers names none`), ...each]
}

function codehostRequirements(codehost: Methods['codehost'], hasPublicUrl: boolean): Requirement[] {
  const key = 'authentication.methods.codehost'
  const { allowedOrganizations, allowedTeams, allowInsecure, apiUrl, scopes, serverUrl } = codehost
  const organizations = allowedOrganizations.map((name) => name.toLowerCase())
  const strangers = Object.keys(allowedTeams).filter((name) => !organizations.includes(name))
  return [
    ...registration(key, codehost, hasPublicUrl),
    secure(`${key}.server_url`, serverUrl, allowInsecure),
    secure(`${key}.api_url`, apiUrl, allowInsecure),
    {
      key: `${key}.allowed_organizations`,
      isMet: organizations.length === 0 || scopes.includes('read:org'),
      wrong: 'needs the scope read:org, without which memberships cannot be read',
      remedy: `Add it to ${key}.scopes`,
    },
    {
      key: `${key}.allowed_teams`,
      isMet: strangers.length === 0,
      wrong: 'has teams of an organization that allowed_organizations does not have',
      remedy: `Add it to ${key}.allowed_organizations`,
    },
  ]
}

function orchestratorRequirements(orchestrator: Methods['orchestrator']): Requirement[] {
  const key = 'authentication.methods.orchestrator'
  const { allowInsecure, apiUrl, audience, serviceAccounts } = orchestrator
  return [
    present(`${key}.audience`, audience),
    secure(`${key}.api_url`, apiUrl, allowInsecure),
    notEmpty(`${key}.service_accounts`, serviceAccounts, 'is empty, so that nobody may'),
  ]
}

function jwtRequirements({ issuers }: Methods['jwt']): Requirement[] {
  const section = 'authentication.methods.jwt'
  const each = Object.entries(issuers).flatMap(([name, issuer]) => {
    const key = `${section}.issuers.${name}`
    const keySources = [issuer.jwksUrl, issuer.publicKeyFile].filter((one) => one !== undefined)
    return [
      {
        key: `${key}.issuer`,
        isMet: issuer.issuer !== undefined || issuer.allowAnyIssuer,
        wrong: 'is missing, so that a token of anyone with a known key would be accepted',
        remedy: `Set it, or ${key}.allow_any_issuer to true`,
      },
      {
        key: `${key}.audiences`,
        isMet: issuer.audiences.length > 0 || issuer.allowAnyAudience,
        wrong: 'is missing, so that tokens made for others would be accepted',
        remedy: `Set it, or ${key}.allow_any_audience to true`,
      },
      {
        key: `${key}.jwks_url`,
        isMet: keySources.length === 1,
        wrong: 'or public_key_file has to be given, and only one of them',
        remedy: 'Say where the keys are',
      },
      secure(`${key}.jwks_url`, issuer.jwksUrl, issuer.allowInsecure),
      notEmpty(`${key}.algorithms`, issuer.algorithms, 'is empty, so that no token is accepted'),
    ]
  })
  return [notEmpty(`${section}.enabled`, issuers, `${section}.issuers names none`), ...each]
}

function notTakenForJwt({ bootstrap }: Methods['token']): Requirement {
  return {
    key: 'authentication.methods.token.bootstrap.token',
    isMet: bootstrap.token === undefined || !isJwtShaped(bootstrap.token.reveal()),
    wrong:
      'looks like a JWT, and would be taken for one, for authentication.methods.jwt.enabled is true',
    remedy: 'Choose one without dots',
  }
}

function registration(key: string, registered: Registered, hasPublicUrl: boolean): Requirement[] {
  const { clientId, clientSecret, redirectAddress } = registered
  return [
    present(`${key}.client_id`, clientId),
    present(`${key}.client_secret`, clientSecret),
    {
      key: `${key}.redirect_address`,
      isMet: hasPublicUrl || redirectAddress !== undefined,
      wrong: 'is missing, and so is server.public_url: browsers could not come back',
      remedy: 'Set one of them',
    },
  ]
}

function present(key: string, value: unknown): Requirement {
  return { key, isMet: value !== undefined, wrong: 'is missing', remedy: 'Set it' }
}

function notEmpty(key: string, values: object, fault: string): Requirement {
  const isMet = Object.keys(values).length > 0
  const wrong = key.endsWith('.enabled') ? `is true, but ${fault}` : fault
  return { key, isMet, wrong, remedy: 'Name at least one' }
}

/** Whatever the settings say, http never leaves this machine. */
function secure(key: string, url: string | undefined, allowInsecure: boolean): Requirement {
  const isPlain = url?.startsWith('http://') ?? false
  const isHere = url !== undefined && isLoopback(new URL(url).hostname)
  return {
    key,
    isMet: !isPlain || (allowInsecure && isHere),
    wrong: 'is http, which is accepted on this machine only, and with allow_insecure',
    remedy: 'Use https',
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}
