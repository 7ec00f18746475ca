import type { Flag } from '@svc/client/api'
import { baseUrl } from './api.ts'
import { quote } from './quote.ts'

/** A command that asks for a flag, as a shell takes it. The token stands in a variable. */
export function curlOf(
  namespaceKey: string,
  { key, type }: Pick<Flag, 'key' | 'type'>,
  entityId = 'user-42',
  context: Readonly<Record<string, string>> = {},
): string {
  const kind = type === 'BOOLEAN_FLAG_TYPE' ? 'boolean' : 'variant'
  const body = JSON.stringify({ namespaceKey, flagKey: key, entityId, context })
  return [
    `curl ${quote(`${baseUrl}/evaluate/v1/${kind}`)}`,
    '  -H "Authorization: Bearer $SVC_TOKEN"',
    "  -H 'Content-Type: application/json'",
    `  -d ${quote(body)}`,
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
