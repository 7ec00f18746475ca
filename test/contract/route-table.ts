/**
 * Every route of the interface, written down by hand from the contract and not derived from the
 * protos, so that a slip there shows.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With the names of its parameters in braces. */
  readonly path: string
  /**
   * `public`: any caller. `global`: any credential that is not bound to a namespace. `namespace`: those,
   * and a credential that is bound to the namespace that the request names. `self`: any credential.
   */
  readonly access: 'public' | 'global' | 'namespace' | 'self'
  /** The header that names the namespace, where neither path nor query nor body does. */
  readonly namespaceHeader?: string
  /** Open to any caller, and refused by itself when there is no login to end. */
  readonly endsLogin?: true
  /** Answered with events, without end. */
  readonly isStream?: true
  /** A body that is well-formed, so that nothing but the credential decides. */
  readonly body?: object
}

const namespaces: readonly Route[] = [
  { method: 'GET', path: '/api/v1/namespaces', access: 'global' },
  { method: 'POST', path: '/api/v1/namespaces', access: 'global', body: {} },
  { method: 'GET', path: '/api/v1/namespaces/{key}', access: 'namespace' },
  { method: 'PUT', path: '/api/v1/namespaces/{key}', access: 'namespace', body: {} },
  { method: 'DELETE', path: '/api/v1/namespaces/{key}', access: 'global' },
]

const flag = '/flags/{flagKey}'
const distributions = `${flag}/rules/{ruleId}/distributions`

/** Below a namespace's path, and without it below `/api/v1`. */
const aliased: readonly (readonly [Route['method'], string])[] = [
  ['GET', '/flags'],
  ['POST', '/flags'],
  ['GET', '/flags/{key}'],
  ['PUT', '/flags/{key}'],
  ['DELETE', '/flags/{key}'],
  ['POST', `${flag}/variants`],
  ['PUT', `${flag}/variants/{id}`],
  ['DELETE', `${flag}/variants/{id}`],
  ['GET', `${flag}/rules`],
  ['POST', `${flag}/rules`],
  ['GET', `${flag}/rules/{id}`],
  ['PUT', `${flag}/rules/{id}`],
  ['DELETE', `${flag}/rules/{id}`],
  ['PUT', `${flag}/rules/order`],
  ['POST', distributions],
  ['PUT', `${distributions}/{id}`],
  ['DELETE', `${distributions}/{id}`],
  ['GET', '/segments'],
  ['POST', '/segments'],
  ['GET', '/segments/{key}'],
  ['PUT', '/segments/{key}'],
  ['DELETE', '/segments/{key}'],
  ['POST', '/segments/{segmentKey}/constraints'],
  ['PUT', '/segments/{segmentKey}/constraints/{id}'],
  ['DELETE', '/segments/{segmentKey}/constraints/{id}'],
  ['POST', '/evaluate'],
  ['POST', '/batch-evaluate'],
]

/** Below a namespace's path only. */
const unaliased: readonly (readonly [Route['method'], string])[] = [
  ['GET', `${flag}/rollouts`],
  ['POST', `${flag}/rollouts`],
  ['PUT', `${flag}/rollouts`],
  ['GET', `${flag}/rollouts/{id}`],
  ['PUT', `${flag}/rollouts/{id}`],
  ['DELETE', `${flag}/rollouts/{id}`],
  ['PUT', `${flag}/rollouts/order`],
]

const auth: readonly Route[] = [
  { method: 'GET', path: '/auth/v1/method', access: 'public' },
  { method: 'GET', path: '/auth/v1/method/codehost/authorize', access: 'public' },
  { method: 'GET', path: '/auth/v1/method/codehost/callback', access: 'public', endsLogin: true },
  { method: 'GET', path: '/auth/v1/method/oidc/{providerName}/authorize', access: 'public' },
  { method: 'GET', path: '/auth/v1/method/oidc/{providerName}/callback', access: 'public' },
  {
    method: 'POST',
    path: '/auth/v1/method/oidc/{providerName}/backchannel-logout',
    access: 'public',
    body: {},
  },
  { method: 'POST', path: '/auth/v1/method/token', access: 'global', body: {} },
  {
    method: 'POST',
    path: '/auth/v1/method/orchestrator/serviceaccount',
    access: 'public',
    body: {},
  },
  { method: 'POST', path: '/auth/v1/method/kubernetes/serviceaccount', access: 'public', body: {} },
  { method: 'GET', path: '/auth/v1/tokens', access: 'global' },
  { method: 'GET', path: '/auth/v1/tokens/{id}', access: 'global' },
  { method: 'DELETE', path: '/auth/v1/tokens/{id}', access: 'global' },
  { method: 'POST', path: '/auth/v1/tokens/{id}/rotate', access: 'global', body: {} },
  { method: 'GET', path: '/auth/v1/self', access: 'global' },
  { method: 'PUT', path: '/auth/v1/self/expire', access: 'global' },
  { method: 'POST', path: '/auth/v1/session', access: 'public', body: {} },
  { method: 'GET', path: '/auth/v1/session', access: 'self' },
  { method: 'DELETE', path: '/auth/v1/session', access: 'self' },
  { method: 'GET', path: '/auth/v1/self/sessions', access: 'self' },
  { method: 'DELETE', path: '/auth/v1/self/sessions', access: 'self' },
  { method: 'DELETE', path: '/auth/v1/self/sessions/{id}', access: 'self' },
  { method: 'GET', path: '/auth/v1/sessions', access: 'global' },
  { method: 'DELETE', path: '/auth/v1/sessions', access: 'global' },
]

const evaluation: readonly Route[] = [
  { method: 'POST', path: '/evaluate/v1/boolean', access: 'namespace', body: {} },
  { method: 'POST', path: '/evaluate/v1/variant', access: 'namespace', body: {} },
  { method: 'POST', path: '/evaluate/v1/batch', access: 'namespace', body: {} },
]

const snapshots: readonly Route[] = [
  { method: 'GET', path: '/internal/v1/evaluation/snapshot/namespace/{key}', access: 'namespace' },
  {
    method: 'GET',
    path: '/internal/v1/evaluation/stream/namespace/{key}',
    access: 'namespace',
    isStream: true,
  },
]

const namespaceHeader = 'X-Svc-Namespace'

const ofrep: readonly Route[] = [
  {
    method: 'POST',
    path: '/ofrep/v1/evaluate/flags/{key}',
    access: 'namespace',
    namespaceHeader,
    body: {},
  },
  {
    method: 'POST',
    path: '/ofrep/v1/evaluate/flags',
    access: 'namespace',
    namespaceHeader,
    body: {},
  },
  { method: 'GET', path: '/ofrep/v1/configuration', access: 'namespace', namespaceHeader },
  {
    method: 'GET',
    path: '/ofrep/v1/namespaces/{key}/events',
    access: 'namespace',
    isStream: true,
  },
]

const meta: readonly Route[] = [{ method: 'GET', path: '/meta/info', access: 'global' }]

export const routes: readonly Route[] = [
  ...namespaces,
  ...[...aliased, ...unaliased].map(([method, path]) =>
    inNamespace(method, `/api/v1/namespaces/{namespaceKey}${path}`),
  ),
  ...aliased.map(([method, path]) => inNamespace(method, `/api/v1${path}`)),
  ...auth,
  ...evaluation,
  ...snapshots,
  ...ofrep,
  ...meta,
]

function inNamespace(method: Route['method'], path: string): Route {
  const hasBody = method === 'POST' || method === 'PUT'
  return { method, path, access: 'namespace', ...(hasBody ? { body: {} } : {}) }
}
