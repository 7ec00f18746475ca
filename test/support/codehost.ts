import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ServerFault } from './faults.ts'
import { listen, type Test } from './listen.ts'

export interface Organization {
  readonly id: number
  readonly login: string
}

export interface Team {
  readonly id: number
  readonly slug: string
  readonly organization: Organization
}

/** An account. A test may change what they are a member of at any time. */
export interface Person {
  readonly id: number
  login: string
  readonly name?: string | null
  readonly email?: string | null
  organizations: readonly Organization[]
  teams: readonly Team[]
}

export interface FakeCodehost {
  /** Where people log in. */
  readonly serverUrl: string
  readonly apiUrl: string
  /** Who is logged in there, in the browser that the test plays. */
  person: Person
  /** Whether the answer to a login names the issuer, as RFC 9207 has it. */
  namesIssuer: boolean
  /** What it does otherwise than it should, by path without query. */
  readonly faults: Map<string, ServerFault>
  /** The paths that it was asked for, in order. */
  readonly asked: string[]
  /** All access tokens that it has given out. */
  readonly accessTokens: ReadonlyMap<string, Person>
  /** Takes an access token back. */
  withdraw(accessToken: string): void
}

export const codehostClient = { id: 'flags', secret: 'the-secret-of-the-client' }

interface Code {
  readonly person: Person
  readonly challenge: string
  readonly redirectUri: string
}

/**
 * A code host that speaks OAuth 2.0 with PKCE and has the part of an API that lists accounts,
 * organizations and teams, page by page, over real HTTP. A browser that is sent there is logged in at once.
 */
export async function startCodehost(t: Test, person: Person): Promise<FakeCodehost> {
  const codes = new Map<string, Code>()
  const accessTokens = new Map<string, Person>()
  const faults = new Map<string, ServerFault>()
  const asked: string[] = []

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', codehost.serverUrl)
    asked.push(url.pathname)
    const fault = faults.get(url.pathname)
    if (fault !== undefined) fault(request, response)
    else if (url.pathname === '/login/oauth/authorize') authorize(url, response)
    else if (url.pathname === '/login/oauth/access_token') void exchange(request, response)
    else if (url.pathname.startsWith('/api/v3/')) api(request, url, response)
    else response.writeHead(404).end()
  })
  const serverUrl = `http://127.0.0.1:${await listen(t, server)}`
  const codehost: FakeCodehost = {
    serverUrl,
    apiUrl: `${serverUrl}/api/v3`,
    person,
    namesIssuer: true,
    faults,
    asked,
    accessTokens,
    withdraw: (accessToken) => void accessTokens.delete(accessToken),
  }

  function authorize({ searchParams: query }: URL, response: ServerResponse): void {
    const redirect = new URL(query.get('redirect_uri') ?? '')
    const isSound =
      query.get('client_id') === codehostClient.id &&
      query.get('response_type') === 'code' &&
      query.get('code_challenge_method') === 'S256'
    if (!isSound) return void response.writeHead(400).end('not a login')
    const code = randomBytes(20).toString('hex')
    codes.set(code, {
      person: codehost.person,
      challenge: query.get('code_challenge') ?? '',
      redirectUri: redirect.href,
    })
    redirect.searchParams.set('code', code)
    redirect.searchParams.set('state', query.get('state') ?? '')
    if (codehost.namesIssuer) redirect.searchParams.set('iss', `${serverUrl}/login/oauth`)
    response.writeHead(302, { location: redirect.href }).end()
  }

  /** Errors come with status 200, as some code hosts have it. */
  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request))
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const isClient =
      form.get('client_id') === codehostClient.id &&
      form.get('client_secret') === codehostClient.secret
    const challenge = createHash('sha256').update(form.get('code_verifier') ?? '')
    const isGood =
      request.method === 'POST' &&
      isClient &&
      code !== undefined &&
      code.redirectUri === form.get('redirect_uri') &&
      code.challenge === challenge.digest('base64url')
    if (!isGood) return sendJson(response, { error: 'bad_verification_code' })
    const accessToken = `gho_${randomBytes(18).toString('hex')}`
    accessTokens.set(accessToken, code.person)
    sendJson(response, { access_token: accessToken, token_type: 'bearer', scope: 'read:user' })
  }

  function api(request: IncomingMessage, url: URL, response: ServerResponse): void {
    const [, accessToken = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
    const holder = accessTokens.get(accessToken)
    if (holder === undefined) {
      return void response.writeHead(401).end('{"message":"Bad credentials"}')
    }
    const { organizations, teams, ...account } = holder
    if (url.pathname === '/api/v3/user') sendJson(response, { ...account, type: 'User' })
    else if (url.pathname === '/api/v3/user/orgs') sendPage(url, response, organizations)
    else if (url.pathname === '/api/v3/user/teams') sendPage(url, response, teams)
    else response.writeHead(404).end('{"message":"Not Found"}')
  }

  return codehost
}

export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(body))
}

function sendPage(url: URL, response: ServerResponse, items: readonly unknown[]): void {
  const size = Number(url.searchParams.get('per_page') ?? 30)
  const page = Number(url.searchParams.get('page') ?? 1)
  if (page * size < items.length) {
    const next = new URL(url)
    next.searchParams.set('page', String(page + 1))
    response.setHeader('link', `<${next.href}>; rel="next", <${url.href}>; rel="first"`)
  }
  sendJson(response, items.slice((page - 1) * size, page * size))
}
