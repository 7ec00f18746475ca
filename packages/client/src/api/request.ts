import type { CallOptions, Verb } from './call.ts'

/** The members of a request that are set. */
type Members = readonly (readonly [name: string, value: unknown])[]

/**
 * The URL and the body of a request.
 *
 * @param template path whose `{name}` are members of the request
 * @throws {TypeError} when such a member is missing or no text
 */
export function toRequest(
  base: string,
  verb: Verb,
  template: string,
  hasBody: boolean,
  request: object = {},
): { readonly url: string; readonly body: string | undefined } {
  const inPath = new Set<string>()
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    inPath.add(name)
    const value: unknown = Reflect.get(request, name)
    if (typeof value !== 'string' || value === '') {
      throw new TypeError(`${verb} ${template} needs "${name}", a text that is not empty`)
    }
    return encodeURIComponent(value)
  })
  const rest = Object.entries(request).filter(
    ([name, value]) => !inPath.has(name) && value !== undefined,
  )
  const url = (base.endsWith('/') ? base.slice(0, -1) : base) + path
  if (hasBody) return { url, body: JSON.stringify(Object.fromEntries(rest)) }
  const query = toQuery(rest)
  return { url: query === '' ? url : `${url}?${query}`, body: undefined }
}

function toQuery(members: Members): string {
  const query = new URLSearchParams()
  for (const [name, value] of members) {
    for (const item of [value].flat()) query.append(name, String(item))
  }
  return query.toString()
}

/** The headers that the options of a call become. */
export function toHeaders({ ifMatch, comment, minRevision }: CallOptions): Record<string, string> {
  return {
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    // Headers carry ASCII.
    ...(comment !== undefined && { 'x-svc-comment': encodeURIComponent(comment) }),
    ...(minRevision !== undefined && { 'x-svc-min-revision': minRevision }),
  }
}
