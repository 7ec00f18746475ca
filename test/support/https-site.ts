import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { createAuthority } from './certificates.ts'
import { listen, type Test } from './listen.ts'

/** What a browser sent. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly cookie: string
  /** What the browser said of the page it came from. */
  readonly site: string
}

export interface Below {
  readonly path: string
  /** Whether the server is told, in `X-Forwarded-Prefix`. */
  readonly isSaid?: boolean
}

/** A site on this machine, by https, as browsers want it of a secure context. */
export interface HttpsSite {
  readonly port: number
  readonly seen: Seen[]
  /**
   * Passes requests on from now on, to a server that speaks http. Before, any path is an empty page.
   *
   * @param below takes this path away before, as `/tools/flags`; what is not below it is of another service
   */
  passTo(url: string, below?: Below): void
}

export async function startHttpsSite(t: Test, ...hosts: readonly string[]): Promise<HttpsSite> {
  const seen: Seen[] = []
  let target: string | undefined
  let below: Below = { path: '' }
  const authority = await createAuthority()
  const server = createServer(await authority.issue(...hosts), (request, response) => {
    const { method = '', url = '', headers } = request
    const { cookie = '', 'sec-fetch-site': site = '' } = headers
    seen.push({ method, path: url, cookie, site: String(site) })
    if (target === undefined) response.setHeader('content-type', 'text/html').end('<!doctype html>')
    else passOn(target, below, request, response)
  })
  return {
    port: await listen(t, server),
    seen,
    passTo(url, path = { path: '' }) {
      target = url
      below = path
    },
  }
}

function passOn(
  target: string,
  { path, isSaid = false }: Below,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { method = 'GET', url = '/' } = request
  if (!url.startsWith(`${path}/`)) {
    response.writeHead(404).end('of another service')
    return
  }
  const headers = { ...request.headers, ...(isSaid && { 'x-forwarded-prefix': path }) }
  const onward = forward(target + url.slice(path.length), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  request.pipe(onward)
}
