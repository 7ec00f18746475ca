import { methodSection, methodSwitch, type SettingsOf } from '@svc/config'
import { duration, line, listOf, outboundUrl, section, textLists } from '@svc/config/kinds'
import { cleanup, longestTimerMs } from '../../credentials/settings.ts'
import { encrypted, outboundSettings } from '../../outbound/settings.ts'
import { registrationRequirements, registrationSettings } from '../login/settings.ts'

const schema = section({
  enabled: methodSwitch('codehost').describe(
    'Whether browsers can log in at a code host, by OAuth 2.0.',
  ),
  cleanup: cleanup('logins'),
  serverUrl: outboundUrl()
    .prefault('https://github.com')
    .describe('The code host, where people log in.'),
  apiUrl: outboundUrl()
    .prefault('https://api.github.com')
    .describe('Its API, where accounts and memberships are read.'),
  ...registrationSettings,
  scopes: listOf(line('a scope'), ['read:user', 'user:email']).describe(
    'Scopes to request; organizations and teams also need read:org.',
  ),
  allowedOrganizations: listOf(line('an organization')).describe(
    'Whose members may log in, by login or numeric id; every account when empty.',
  ),
  allowedTeams: textLists(64, 8192).describe(
    'Which teams of an organization may, as lists by organization.',
  ),
  recheckInterval: duration(longestTimerMs)
    .prefault('15m')
    .describe('How often the memberships behind sessions are checked again.'),
  ...outboundSettings,
})

export type CodehostSettings = SettingsOf<typeof schema>

export const codehostSection = methodSection(schema, (codehost, all) => {
  if (!codehost.enabled) return []
  const key = 'authentication.methods.codehost'
  const { allowedOrganizations, allowedTeams, allowInsecure, apiUrl, scopes, serverUrl } = codehost
  const organizations = allowedOrganizations.map((name) => name.toLowerCase())
  return [
    ...registrationRequirements(key, codehost, all),
    encrypted(`${key}.server_url`, serverUrl, allowInsecure),
    encrypted(`${key}.api_url`, apiUrl, allowInsecure),
    {
      key: `${key}.allowed_organizations`,
      isMet: organizations.length === 0 || scopes.includes('read:org'),
      wrong: 'needs the scope read:org, without which memberships cannot be read',
      remedy: `Add it to ${key}.scopes`,
    },
    {
      key: `${key}.allowed_teams`,
      isMet: Object.keys(allowedTeams).every((name) => organizations.includes(name)),
      wrong: 'has teams of an organization that allowed_organizations does not have',
      remedy: `Add it to ${key}.allowed_organizations`,
    },
  ]
})
