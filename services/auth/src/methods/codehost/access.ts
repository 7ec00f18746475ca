import type { Memberships } from './account.ts'
import type { CodehostSettings } from './settings.ts'

export type AccessRules = Pick<CodehostSettings, 'allowedOrganizations' | 'allowedTeams'>

/** Whether logins depend on memberships. */
export function isRestricted({ allowedOrganizations }: AccessRules): boolean {
  return allowedOrganizations.length > 0
}

/**
 * Once teams are listed at all, an organization without any admits none of its members.
 *
 * @returns the memberships that allow a login, `undefined` when none does
 */
export function admittedBy(rules: AccessRules, memberships: Memberships): Memberships | undefined {
  if (!isRestricted(rules)) return memberships
  const lists = Object.entries(rules.allowedTeams)
  const teams = memberships.teams.filter(
    ({ id, slug, organization }) =>
      lists.length === 0 ||
      lists.some(
        ([name, slugs]) =>
          isName(name, organization.id, organization.login) &&
          slugs.some((one) => isName(one, id, slug)),
      ),
  )
  const organizations = memberships.organizations.filter(
    ({ id, login }) =>
      rules.allowedOrganizations.some((name) => isName(name, id, login)) &&
      (lists.length === 0 || teams.some(({ organization }) => organization.id === id)),
  )
  if (organizations.length === 0) return undefined
  const ids = new Set(organizations.map(({ id }) => id))
  return { organizations, teams: teams.filter(({ organization }) => ids.has(organization.id)) }
}

/**
 * Digits alone are an id, never a login: otherwise registering the id of another organization as a
 * login would be enough. Only ASCII logins match: the Kelvin sign, for example, lowers to a k.
 */
function isName(name: string, id: number, login: string): boolean {
  if (/^\d+$/.test(name)) return name === String(id)
  return /^[\x21-\x7e]+$/.test(login) && name.toLowerCase() === login.toLowerCase()
}
