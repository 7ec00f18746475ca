import { AppError, unavailable } from '@svc/runtime'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import type { Fetch } from '../../outbound/outbound.ts'
import type { Memberships } from './access.ts'
import { type Account, toAccount, toOrganization, toTeam } from './account.ts'
import { nextPage } from './next-page.ts'

/** Items of a page: the maximum that code hosts allow. */
const pageSize = 100

/** Maximum pages: 5,000 organizations or teams. Accounts with more cannot log in. */
const maxPages = 50

export interface CodehostApi {
  readonly apiUrl: string
  readonly accessToken: string
  readonly fetch: Fetch
  /** Aborts all requests of a login, however many pages there are. */
  readonly signal: AbortSignal
}

/**
 * @throws {AppError} `unauthenticated` when the access token is not accepted; `unavailable` when
 *   the code host fails
 */
export async function readAccount(api: CodehostApi): Promise<Account> {
  const { content } = await read(api, `${base(api)}/user`, toAccount)
  return content
}

/** Reads all pages. Throws as {@link readAccount} does. */
export async function readMemberships(api: CodehostApi): Promise<Memberships> {
  const [organizations, teams] = await Promise.all([
    readList(api, 'user/orgs', toOrganization),
    readList(api, 'user/teams', toTeam),
  ])
  return { organizations, teams }
}

async function readList<T>(
  api: CodehostApi,
  path: string,
  toItem: (item: unknown) => T,
): Promise<T[]> {
  const items: T[] = []
  let url = `${base(api)}/${path}?per_page=${pageSize}`
  for (let page = 0; page < maxPages; page += 1) {
    const { content, next } = await read(api, url, (answer) => toList(answer, toItem))
    items.push(...content)
    if (next === undefined) return items
    url = next
  }
  throw codehostUnavailable(path, new TypeError('has too many pages'))
}

/** @throws {TypeError} for anything but a list of at most a page */
function toList<T>(answer: unknown, toItem: (item: unknown) => T): T[] {
  if (!Array.isArray(answer) || answer.length > pageSize) throw new TypeError('is no page')
  return answer.map(toItem)
}

interface Page<T> {
  readonly content: T
  readonly next: string | undefined
}

async function read<T>(
  api: CodehostApi,
  url: string,
  toContent: (answer: unknown) => T,
): Promise<Page<T>> {
  const { pathname } = new URL(url)
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${api.accessToken}`,
    'user-agent': 'svc',
  }
  try {
    const response = await api.fetch(url, { headers, signal: api.signal })
    if (response.status === 401) throw unauthenticated()
    if (response.status !== 200) throw new TypeError(`answers ${response.status}`)
    const content = toContent(await response.json())
    return { content, next: nextUrl(api, response.headers.get('link')) }
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') throw error
    throw codehostUnavailable(pathname, error)
  }
}

/** The access token is sent to the origin of the API only, whatever its `Link` header says. */
function nextUrl(api: CodehostApi, link: string | null): string | undefined {
  const next = nextPage(link)
  if (next === undefined) return undefined
  const url = new URL(next, api.apiUrl)
  if (url.origin !== new URL(api.apiUrl).origin) throw new TypeError('links to another origin')
  return url.href
}

function base({ apiUrl }: CodehostApi): string {
  return apiUrl.replace(/\/$/, '')
}

/** The caller learns only that it failed; the cause is for the log. */
function codehostUnavailable(path: string, error: unknown): AppError {
  const wrong = error instanceof TypeError ? error.message : 'cannot be read'
  const cause = error instanceof AppError ? error.cause : undefined
  return unavailable('the code host is unavailable, try again', {
    cause: new Error(`${path} ${wrong}`, { cause }),
  })
}
