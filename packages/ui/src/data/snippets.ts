import type { Flag } from '@svc/client/api'
import { baseUrl } from './api.ts'
import { quote } from './quote.ts'

type Context = Readonly<Record<string, unknown>>

/** A command that asks for a flag, as a shell takes it. The token stands in a variable. */
export function curlOf(
  namespaceKey: string,
  { key, type }: Pick<Flag, 'key' | 'type'>,
  entityId = 'user-42',
  context: Context = {},
): string {
  const kind = type === 'BOOLEAN_FLAG_TYPE' ? 'boolean' : 'variant'
  return curl(`/evaluate/v1/${kind}`, { namespaceKey, flagKey: key, entityId, context })
}

/** A command that asks how the answer comes about. */
export function explainCurlOf(
  namespaceKey: string,
  flagKey: string,
  entityId: string,
  context: Context,
): string {
  return curl('/evaluate/v1/explain?pretty', { namespaceKey, flagKey, entityId, context })
}

/** A command that asks for a flag as providers of OpenFeature do. */
export function ofrepCurlOf(
  namespaceKey: string,
  key: string,
  entityId: string,
  context: Context,
): string {
  const body = { context: { ...(entityId !== '' && { targetingKey: entityId }), ...context } }
  return curl(`/ofrep/v1/evaluate/flags/${encodeURIComponent(key)}`, body, [
    `X-Svc-Namespace: ${namespaceKey}`,
  ])
}

function curl(path: string, body: object, headers: readonly string[] = []): string {
  return [
    `curl ${quote(baseUrl + path)}`,
    '  -H "Authorization: Bearer $SVC_TOKEN"',
    ...['Content-Type: application/json', ...headers].map((header) => `  -H ${quote(header)}`),
    `  -d ${quote(JSON.stringify(body))}`,
  ].join(' \\\n')
}

/** The same by OFREP, as providers of OpenFeature ask. */
export function ofrepOf(
  namespaceKey: string,
  { key }: Pick<Flag, 'key'>,
  entityId = 'user-42',
  context: Readonly<Record<string, string>> = {},
): string {
  const body = JSON.stringify({ context: { targetingKey: entityId, ...context } })
  return [
    `curl ${quote(`${baseUrl}/ofrep/v1/evaluate/flags/${encodeURIComponent(key)}`)}`,
    '  -H "Authorization: Bearer $SVC_TOKEN"',
    `  -H ${quote(`X-Svc-Namespace: ${namespaceKey}`)}`,
    "  -H 'Content-Type: application/json'",
    `  -d ${quote(body)}`,
  ].join(' \\\n')
}
