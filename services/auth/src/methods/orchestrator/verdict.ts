import type { AccountName } from './allowed-accounts.ts'

/** Who presented a token, as the API server of the cluster says. */
export interface ServiceAccount extends AccountName {
  readonly uid: string
  readonly podName: string
  readonly podUid: string
}

// As Kubernetes names namespaces (RFC 1123 labels) and service accounts (RFC 1123 subdomains).
const username =
  /^system:serviceaccount:([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?):([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)$/

/**
 * Reads the status of a TokenReview.
 *
 * A server that does not look at audiences leaves them out of its answer; then the token was made
 * for anyone, so that saying `authenticated` alone is not enough. Of the text in `error` nothing is
 * read: it differs from version to version.
 *
 * @returns nothing when the status is anything but the word that this is a service account, and that
 *   its token is for this audience
 */
export function toServiceAccount(status: unknown, audience: string): ServiceAccount | undefined {
  const { authenticated, error, audiences, user } = fieldsOf(status)
  if (authenticated !== true) return undefined
  if (error !== undefined && error !== null && error !== '') return undefined
  if (!Array.isArray(audiences) || !audiences.includes(audience)) return undefined
  const { username: name, uid, extra } = fieldsOf(user)
  const [, namespace, account] = typeof name === 'string' ? (username.exec(name) ?? []) : []
  if (namespace === undefined || account === undefined) return undefined
  const more = fieldsOf(extra)
  return {
    namespace,
    name: account,
    uid: toName(uid),
    podName: toName(more['authentication.kubernetes.io/pod-name']),
    podUid: toName(more['authentication.kubernetes.io/pod-uid']),
  }
}

/** What is only noted, and is not worth refusing anybody for: the empty text for what is no name. */
function toName(value: unknown): string {
  const text = Array.isArray(value) ? value[0] : value
  return typeof text === 'string' && /^[A-Za-z0-9.-]{1,253}$/.test(text) ? text : ''
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
