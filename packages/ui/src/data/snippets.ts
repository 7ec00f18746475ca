import type { Flag } from '@svc/client/api'
import { baseUrl } from './api.ts'
import { quote } from './quote.ts'
import { exampleEntity } from './terminal.ts'

/** A command that asks for a flag, as a shell takes it. The token stands in a variable. */
export function curlOf(
  namespaceKey: string,
  { key, type }: Pick<Flag, 'key' | 'type'>,
  entityId = exampleEntity,
  context: Readonly<Record<string, unknown>> = {},
): string {
  const kind = type === 'BOOLEAN_FLAG_TYPE' ? 'boolean' : 'variant'
  return curl(`/evaluate/v1/${kind}`, { namespaceKey, flagKey: key, entityId, context })
}

/** @param headers besides those of every call with a body */
export function curl(path: string, body: object, headers: readonly string[] = []): string {
  return [
    `curl ${quote(baseUrl + path)}`,
    '  -H "Authorization: Bearer $SVC_TOKEN"',
    ...['Content-Type: application/json', ...headers].map((header) => `  -H ${quote(header)}`),
    `  -d ${quote(JSON.stringify(body))}`,
  ].join(' \\\n')
}
