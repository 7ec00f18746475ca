import { AppError } from '@svc/runtime'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import type { Fetch } from '../../outbound/outbound.ts'
import { type Account, type Memberships, toAccount, toOrganization, toTeam } from './account.ts'
import { codehostUnavailable } from './oauth.ts'

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

/** @throws {AppError} `unauthenticated` for a refused access token; `unavailable` for other failures */
export async function readAccount(api: CodehostApi): Promise<Account> {
  const [account] = await read(api, urlOf(api, 'user'), toAccount)
  return account
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
  let url = urlOf(api, `${path}?per_page=${pageSize}`)
  for (let page = 0; page < maxPages; page += 1) {
    const [content, next] = await read(api, url, (answer) => {
      if (!Array.isArray(answer) || answer.length > pageSize) throw new TypeError('is no page')
      return answer.map(toItem)
    })
    items.push(...content)
    if (next === undefined) return items
    url = next
  }
  throw codehostUnavailable(new Error(`${path} has too many pages`))
}

/** @returns the content, and the URL of the next page */
async function read<T>(
  api: CodehostApi,
  url: string,
  toContent: (answer: unknown) => T,
): Promise<[T, next: string | undefined]> {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${api.accessToken}`,
    'user-agent': 'svc',
  }
  try {
    const response = await api.fetch(url, { headers, signal: api.signal })
    if (response.status === 401) throw unauthenticated('refused_by_provider')
    if (response.status !== 200) throw new TypeError(`answers ${response.status}`)
    return [toContent(await response.json()), nextUrl(api, response.headers.get('link'))]
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') throw error
    // The error of a JSON parser quotes what it read.
    const wrong = error instanceof TypeError ? error.message : 'cannot be read'
    const cause = error instanceof AppError ? error.cause : undefined
    throw codehostUnavailable(new Error(`${new URL(url).pathname} ${wrong}`, { cause }))
  }
}

/** The access token is sent to the origin of the API only, whatever its `Link` header says. */
function nextUrl({ apiUrl }: CodehostApi, link: string | null): string | undefined {
  const next = nextPage(link)
  if (next === undefined) return undefined
  const url = new URL(next, apiUrl)
  if (url.origin !== new URL(apiUrl).origin) throw new TypeError('links to another origin')
  return url.href
}

/** @returns the target of the first link whose relation is `next` in a `Link` header (RFC 8288) */
export function nextPage(link: string | null): string | undefined {
  for (const [, target, parameters = ''] of (link ?? '').matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, quoted, plain] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? []
    const relations = (quoted ?? plain ?? '').toLowerCase().split(/\s+/)
    if (relations.includes('next')) return target
  }
  return undefined
}

function urlOf({ apiUrl }: CodehostApi, path: string): string {
  return `${apiUrl.replace(/\/$/, '')}/${path}`
}
