import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** The parts of a snapshot that a client understands. */
export interface Form {
  readonly name: string
  /** Whether constraints may compare the entity's id. */
  readonly hasEntityIds: boolean
  readonly hasDefaultVariants: boolean
}

/** Since 1.47. */
export const currentForm: Form = { name: '1.47', hasEntityIds: true, hasDefaultVariants: true }
const formOf1_38: Form = { name: '1.38', hasEntityIds: true, hasDefaultVariants: false }
const earliestForm: Form = { name: '1.37', hasEntityIds: false, hasDefaultVariants: false }

export const forms: readonly Form[] = [currentForm, formOf1_38, earliestForm]

/** The headers that name the version that a client understands; ours first. */
export const versionHeaders = ['x-svc-accept-server-version', 'x-flipt-accept-server-version']

// Semantic versioning, but for what clients leave out: `1.47`, `v1.47.0`.
const version =
  /^\s*v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(-[-.0-9a-z]+)?(?:\+[-.0-9a-z]+)?\s*$/i

/** The form that a client requests by the highest server version that it understands. */
export function formFor(headers: IncomingHttpHeaders): Form {
  const name = versionHeaders.find((header) => headers[header] !== undefined)
  const [, major = '0', minor = '0', patch = '0', prerelease] =
    version.exec(String(name && headers[name])) ?? []
  const isAtLeast = (wanted: number) => {
    if (Number(major) !== 1) return Number(major) > 1
    if (Number(minor) !== wanted) return Number(minor) > wanted
    return prerelease === undefined || Number(patch) > 0
  }
  if (isAtLeast(47)) return currentForm
  return isAtLeast(38) ? formOf1_38 : earliestForm
}

/**
 * The entity tag of a snapshot: the same on every gateway, another one for each revision and form. It is
 * sent without quotes, as the clients of this interface compare it.
 */
export function etagOf(namespaceKey: string, revision: number, { name }: Form): string {
  return hash('sha1', `${namespaceKey}:${revision}:${name}`)
}
