import { isObject, type JsonObject } from '@svc/contract'
import { presentMetadata } from '../login/logins.store.ts'

/** An account at the code host. Only its id is permanent. */
export type Account = ReturnType<typeof toAccount>

/** An organization at the code host. A changed login may be taken by another organization. */
export type Organization = ReturnType<typeof toOrganization>

export type Team = ReturnType<typeof toTeam>

/** The memberships of an account. */
export interface Memberships {
  readonly organizations: readonly Organization[]
  readonly teams: readonly Team[]
}

/** @throws {TypeError} for anything but an account, as the functions below */
export function toAccount(answer: unknown) {
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

export function toOrganization(answer: unknown) {
  const organization = toObject(answer)
  return { id: toId(organization.id), login: toLogin(organization.login) }
}

export function toTeam(answer: unknown) {
  const { id, slug, organization } = toObject(answer)
  return { id: toId(id), slug: toLogin(slug), organization: toOrganization(organization) }
}

/** Maximum size of a list: it travels with each lookup and stays in caches. */
const maxListBytes = 4096

/** The metadata of a login. */
export function accountMetadata(
  { id, login, name, email, picture }: Account,
  memberships: Memberships | undefined,
): Record<string, string> {
  return presentMetadata({
    'io.svc.auth.codehost.sub': String(id),
    'io.svc.auth.codehost.preferred_username': login,
    'io.svc.auth.codehost.name': name,
    'io.svc.auth.codehost.email': email,
    'io.svc.auth.codehost.picture': picture,
    'io.svc.auth.codehost.organizations': memberships && organizationList(memberships),
    'io.svc.auth.codehost.teams': memberships && teamList(memberships),
    'io.svc.auth.name': name,
    'io.svc.auth.email': email,
    'io.svc.auth.picture': picture,
  })
}

/** What messages call the holder of a login. */
export function accountName(metadata: Readonly<Record<string, string>>): string | undefined {
  const { 'io.svc.auth.codehost.email': email, 'io.svc.auth.codehost.name': name } = metadata
  return email ?? name ?? metadata['io.svc.auth.codehost.preferred_username']
}

function organizationList({ organizations }: Memberships): string | undefined {
  return toList(organizations.map(({ login }) => login))
}

function teamList({ teams }: Memberships): string | undefined {
  const byLogin = Object.entries(Object.groupBy(teams, ({ organization }) => organization.login))
  const slugs = byLogin.map(([login, members = []]) => [login, members.map(({ slug }) => slug)])
  return toList(Object.fromEntries(slugs))
}

/** A list that is too long is left out: a truncated one would be wrong. */
function toList(value: object): string | undefined {
  const text = JSON.stringify(value)
  return Buffer.byteLength(text) <= maxListBytes ? text : undefined
}

function toObject(answer: unknown): JsonObject {
  if (!isObject(answer)) throw new TypeError('is no object')
  return answer
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
