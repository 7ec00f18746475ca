import { ofAnotherClient } from '../support/clients.ts'
import { readFixture } from '../support/fixtures.ts'
import { type Answer, call } from '../support/http.ts'

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With the names of its parameters in braces. */
  readonly path: string
  /**
   * `public`: any caller. `global`: any credential that is not bound to a namespace. `namespace`: those,
   * and a credential that is bound to the namespace that the request names. `self`: any credential.
   * `session`: the session of a browser.
   */
  readonly access: 'public' | 'global' | 'namespace' | 'self' | 'session'
  /** The header that names the namespace, where neither path nor query nor body does. */
  readonly namespaceHeader?: string
  /** Answered with events, without end. */
  readonly isStream?: true
  /** A body that is well-formed, so that nothing but the credential decides. */
  readonly body?: object
}

type Paths = Readonly<Record<string, string>>

const { aliased, ...table } = readFixture<Record<Route['access'] | 'aliased', Paths>>('routes')

const accesses = ['namespace', 'public', 'self', 'session', 'global'] as const

/** Every route of the interface. */
export const routes: readonly Route[] = [
  ...accesses.flatMap((access) => routesOf(table[access], access)),
  ...routesOf(aliased, 'namespace', '/api/v1/namespaces/{namespaceKey}'),
  ...routesOf(aliased, 'namespace', '/api/v1'),
]

function routesOf(paths: Paths, access: Route['access'], prefix = ''): Route[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    methods.split(' ').map((name) => {
      const method = name as Route['method']
      // Without one it expires at once.
      const hasBody = /^P/.test(method) && !path.endsWith('/expire')
      return {
        method,
        path: prefix + path,
        access,
        ...(hasBody && { body: {} }),
        ...(/^\/ofrep\/v1\/(?!namespaces)/.test(path) && { namespaceHeader: 'X-Svc-Namespace' }),
        ...(/\/(stream|events)\b/.test(path) && { isStream: true }),
      }
    }),
  )
}

/** A request to a route that acts on the given namespace, by path, query or body as it goes. */
export function requestTo(route: Route, namespaceKey: string) {
  const named = /\{namespaceKey\}|namespaces?\/\{key\}/.test(route.path)
  const path = route.path
    .replace('{namespaceKey}', namespaceKey)
    .replace(/(namespaces?)\/\{key\}/, `$1/${namespaceKey}`)
    .replace(/\{\w+\}/g, 'nothing')
  // A batch that asks for nothing is no business of a namespaced token.
  if (path.endsWith('/batch')) return { path, body: { requests: [{ namespaceKey }] } }
  if (path.endsWith('/drafts/apply')) return { path, body: { drafts: [{ namespaceKey }] } }
  const items = path.endsWith('/batch-evaluate') ? { requests: [{}] } : {}
  if (named || route.access !== 'namespace') {
    return { path, body: route.body && { ...route.body, ...items } }
  }
  if (route.body !== undefined) return { path, body: { namespaceKey, ...items } }
  return { path: `${path}?namespaceKey=${namespaceKey}`, body: undefined }
}

/** What a route answers; of a stream only how it begins. */
export async function ask(
  url: string,
  route: Route,
  path: string,
  body: object | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  if (route.isStream !== true) return await call(url, route.method, path, body, headers)
  const leaving = new AbortController()
  const response = await fetch(url + path, {
    headers: { ...ofAnotherClient(), ...headers },
    signal: leaving.signal,
  })
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  const text = isStream ? '' : await response.text()
  leaving.abort()
  return {
    status: response.status,
    headers: response.headers,
    body: text && JSON.parse(text),
    text,
  }
}
