import type { CodehostSettings } from './settings.ts'

/** An organization at the code host. Its login may be changed and then be taken by another. */
export interface Organization {
  readonly id: number
  readonly login: string
}

export interface Team {
  readonly id: number
  readonly slug: string
  readonly organization: Organization
}

/** What an account is a member of. */
export interface Memberships {
  readonly organizations: readonly Organization[]
  readonly teams: readonly Team[]
}

export type AccessRules = Pick<CodehostSettings, 'allowedOrganizations' | 'allowedTeams'>

/** Whether it depends on memberships who may log in. */
export function isRestricted({ allowedOrganizations }: AccessRules): boolean {
  return allowedOrganizations.length > 0
}

/**
 * What of the memberships lets somebody in.
 *
 * Once teams are listed at all, an organization without any admits nobody.
 *
 * @returns `undefined` when they do not let anybody in; all of them when anyone may log in
 */
export function admittedBy(rules: AccessRules, memberships: Memberships): Memberships | undefined {
  if (!isRestricted(rules)) return memberships
  const organizations = memberships.organizations.filter((organization) =>
    rules.allowedOrganizations.some((name) => isNamed(name, organization.id, organization.login)),
  )
  const teams = memberships.teams.filter((team) => isAllowedTeam(rules, team))
  const admitting = hasTeams(rules)
    ? organizations.filter(({ id }) => teams.some(({ organization }) => organization.id === id))
    : organizations
  if (admitting.length === 0) return undefined
  const isAdmitting = ({ organization }: Team) => admitting.some(({ id }) => id === organization.id)
  return { organizations: admitting, teams: teams.filter(isAdmitting) }
}

function hasTeams({ allowedTeams }: AccessRules): boolean {
  return Object.keys(allowedTeams).length > 0
}

function isAllowedTeam(rules: AccessRules, { id, slug, organization }: Team): boolean {
  if (!hasTeams(rules)) return true
  return Object.entries(rules.allowedTeams).some(
    ([name, teams]) =>
      isNamed(name, organization.id, organization.login) &&
      teams.some((team) => isNamed(team, id, slug)),
  )
}

/**
 * Digits alone are an id and never a login: whoever registers the id of somebody else as a login
 * would get in otherwise. Nor is a login one that merely becomes it in lower case, as the Kelvin
 * sign becomes a k.
 */
function isNamed(name: string, id: number, login: string): boolean {
  if (/^\d+$/.test(name)) return name === String(id)
  return /^[\x21-\x7e]+$/.test(login) && name.toLowerCase() === login.toLowerCase()
}
