import { ofAnotherClient } from '../support/clients.ts'
import { type Answer, call } from '../support/http.ts'
import type { Route } from './route-table.ts'

/** A request to a route that acts on the given namespace, by path, query or body as it goes. */
export function requestTo(route: Route, namespaceKey: string) {
  const named = /\{namespaceKey\}|namespaces?\/\{key\}/.test(route.path)
  const path = route.path
    .replace('{namespaceKey}', namespaceKey)
    .replace(/(namespaces?)\/\{key\}/, `$1/${namespaceKey}`)
    .replace(/\{\w+\}/g, 'nothing')
  // A batch that asks for nothing is no business of a namespaced token.
  if (path.endsWith('/batch')) return { path, body: { requests: [{ namespaceKey }] } }
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
