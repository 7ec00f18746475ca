import type { CodehostSettings } from './settings.ts'

/** An organization at the code host. A changed login may be taken by another organization. */
export interface Organization {
  readonly id: number
  readonly login: string
}

export interface Team {
  readonly id: number
  readonly slug: string
  readonly organization: Organization
}

/** The memberships of an account. */
export interface Memberships {
  readonly organizations: readonly Organization[]
  readonly teams: readonly Team[]
}

export type AccessRules = Pick<CodehostSettings, 'allowedOrganizations' | 'allowedTeams'>

/** Whether logins depend on memberships. */
export function isRestricted({ allowedOrganizations }: AccessRules): boolean {
  return allowedOrganizations.length > 0
}

/**
 * Selects the memberships that allow a login.
 *
 * Once teams are listed at all, an organization without any admits none of its members.
 *
 * @returns `undefined` when none does; all of them when logins are not restricted
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
 * Digits alone are an id, never a login: otherwise registering the id of another organization as a
 * login would be enough. Only ASCII logins match: the Kelvin sign, for example, lowers to a k.
 */
function isNamed(name: string, id: number, login: string): boolean {
  if (/^\d+$/.test(name)) return name === String(id)
  return /^[\x21-\x7e]+$/.test(login) && name.toLowerCase() === login.toLowerCase()
}
