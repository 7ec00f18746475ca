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
