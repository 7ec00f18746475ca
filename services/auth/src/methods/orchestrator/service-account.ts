import type { AccountName } from './allowed-accounts.ts'

/** The holder of a token, as the API server reports it. */
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
 * A server without audience checks leaves `audiences` out of its answer. The token may then be for any
 * audience, so `authenticated` alone is not enough. The text of `error` is not interpreted: it differs
 * between versions.
 *
 * @returns `undefined` unless the status confirms a service account and this audience
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

/** Metadata only, so that a bad value does not refuse the login: it becomes an empty text. */
function toName(value: unknown): string {
  const text = Array.isArray(value) ? value[0] : value
  return typeof text === 'string' && /^[A-Za-z0-9.-]{1,253}$/.test(text) ? text : ''
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

const keys = {
  namespace: 'io.svc.auth.orchestrator.namespace',
  podName: 'io.svc.auth.orchestrator.pod.name',
  podUid: 'io.svc.auth.orchestrator.pod.uid',
  name: 'io.svc.auth.orchestrator.serviceaccount.name',
  uid: 'io.svc.auth.orchestrator.serviceaccount.uid',
} as const

/** The metadata of a workload: always these five. */
export function workloadMetadata(account: ServiceAccount): Record<string, string> {
  return {
    [keys.namespace]: account.namespace,
    [keys.podName]: account.podName,
    [keys.podUid]: account.podUid,
    [keys.name]: account.name,
    [keys.uid]: account.uid,
  }
}

/** The name of a workload in messages, for example `shop:client`; `undefined` for other metadata. */
export function workloadName(metadata: Readonly<Record<string, string>>): string | undefined {
  const { [keys.namespace]: namespace, [keys.name]: name } = metadata
  return name === undefined ? undefined : `${namespace}:${name}`
}

/** What makes a service account another one: one that is made anew has another uid. */
export function workloadSubject(metadata: Readonly<Record<string, string>>) {
  return [metadata[keys.namespace], metadata[keys.name], metadata[keys.uid]]
}
