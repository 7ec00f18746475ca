import type { Memberships, Organization, Team } from './access.ts'

/** An account at the code host. Only its id is permanent. */
export interface Account {
  readonly id: number
  readonly login: string
  readonly name: string | undefined
  readonly email: string | undefined
  readonly picture: string | undefined
}

/** @throws {TypeError} for anything but an account */
export function toAccount(answer: unknown): Account {
  const account = toObject(answer)
  return {
    id: toId(account.id),
    login: toLogin(account.login),
    name: toText(account.name, 255),
    // The maximum of RFC 5321.
    email: toText(account.email, 254),
    picture: toText(account.avatar_url, 2048),
  }
}

/** @throws {TypeError} for anything but an organization */
export function toOrganization(answer: unknown): Organization {
  const organization = toObject(answer)
  return { id: toId(organization.id), login: toLogin(organization.login) }
}

/** @throws {TypeError} for anything but a team */
export function toTeam(answer: unknown): Team {
  const team = toObject(answer)
  return {
    id: toId(team.id),
    slug: toLogin(team.slug),
    organization: toOrganization(team.organization),
  }
}

const keys = {
  name: 'io.svc.auth.codehost.name',
  email: 'io.svc.auth.codehost.email',
  picture: 'io.svc.auth.codehost.picture',
  subject: 'io.svc.auth.codehost.sub',
  login: 'io.svc.auth.codehost.preferred_username',
  organizations: 'io.svc.auth.codehost.organizations',
  teams: 'io.svc.auth.codehost.teams',
  commonName: 'io.svc.auth.name',
  commonEmail: 'io.svc.auth.email',
  commonPicture: 'io.svc.auth.picture',
} as const

/** Maximum size of a list: it travels with each lookup and stays in caches. */
const maxListBytes = 4096

/** The metadata of a login. */
export function accountMetadata(
  { id, login, name, email, picture }: Account,
  memberships: Memberships | undefined,
): Record<string, string> {
  return {
    [keys.subject]: String(id),
    [keys.login]: login,
    ...(name && { [keys.name]: name, [keys.commonName]: name }),
    ...(email && { [keys.email]: email, [keys.commonEmail]: email }),
    ...(picture && { [keys.picture]: picture, [keys.commonPicture]: picture }),
    ...(memberships && membershipMetadata(memberships)),
  }
}

/** Lists that are too long are left out: a truncated one would be wrong. */
function membershipMetadata({ organizations, teams }: Memberships): Record<string, string> {
  const slugs = Object.groupBy(teams, ({ organization }) => organization.login)
  const slugsByOrganization = Object.fromEntries(
    Object.entries(slugs).map(([login, members = []]) => [login, members.map(({ slug }) => slug)]),
  )
  const lists = {
    [keys.organizations]: JSON.stringify(organizations.map(({ login }) => login)),
    [keys.teams]: JSON.stringify(slugsByOrganization),
  }
  return Object.fromEntries(
    Object.entries(lists).filter(([, text]) => Buffer.byteLength(text) <= maxListBytes),
  )
}

function toObject(answer: unknown): Readonly<Record<string, unknown>> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    throw new TypeError('is no object')
  }
  return { ...answer }
}

/** Beyond the safe integers, two ids would be equal. */
function toId(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  throw new TypeError('has no id')
}

function toLogin(value: unknown): string {
  const login = toText(value, 255)
  if (login === undefined) throw new TypeError('has no name')
  return login
}

/** A text that cannot be shown or stored is left out. */
function toText(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > maxLength) return undefined
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are refused
  return value.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(value) ? value : undefined
}
