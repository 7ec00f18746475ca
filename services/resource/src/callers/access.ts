import { Access } from '@svc/proto/options/v1/access'
import type { AuthorizeCall } from '@svc/rpc'

type Method = Parameters<AuthorizeCall>[1]

/** Of `svc.options.v1.access` in the options of a method: its number, and that it has a length. */
const accessTag = (50_100 << 3) | 2

/** Whom a method is for. */
export type Scope =
  /** The way to the namespace in the request. */
  | { readonly kind: 'namespace'; readonly field: readonly string[] }
  | { readonly kind: 'unbound' }
  | { readonly kind: 'internal' }

/** @throws when the method has no annotation, or one that means nothing here */
export function scopeOf({ name, options }: Method): Scope {
  const bytes = options?._unknownFields?.[accessTag]?.[0]
  if (bytes === undefined) throw new Error(`${name} has no access annotation`)
  // Its length comes first, in groups of seven bits of which the last has its high bit clear.
  const access = Access.decode(bytes.subarray(bytes.findIndex((byte) => byte < 0x80) + 1))
  if (access.internal !== undefined) return { kind: 'internal' }
  if (access.global !== undefined) return { kind: 'unbound' }
  if (access.namespace === undefined) throw new Error(`${name} has an odd access annotation`)
  return { kind: 'namespace', field: access.namespace.split('.').map(toCamelCase) }
}

/** Every namespace that a request names, in the same place as the gateway looks for it. */
export function namespacesIn(request: unknown, [name, ...rest]: readonly string[]): string[] {
  if (Array.isArray(request))
    return request.flatMap((item) => namespacesIn(item, [name ?? '', ...rest]))
  if (typeof request !== 'object' || request === null || name === undefined) return []
  const value: unknown = Reflect.get(request, name)
  if (rest.length > 0) return namespacesIn(value, rest)
  return typeof value === 'string' ? [value === '' ? 'default' : value] : []
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
