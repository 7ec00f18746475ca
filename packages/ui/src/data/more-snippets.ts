import type { Flag } from '@svc/client/api'
import { curl } from './snippets.ts'
import { exampleEntity } from './terminal.ts'

type Context = Readonly<Record<string, unknown>>

/** A command that asks how the answer of a flag comes about. */
export function explainCurlOf(
  namespaceKey: string,
  flagKey: string,
  entityId: string,
  context: Context,
): string {
  return curl('/evaluate/v1/explain?pretty', { namespaceKey, flagKey, entityId, context })
}

/** A command that asks for a flag as providers of OpenFeature do. */
export function ofrepOf(
  namespaceKey: string,
  { key }: Pick<Flag, 'key'>,
  entityId = exampleEntity,
  context: Context = {},
): string {
  const body = { context: { ...(entityId !== '' && { targetingKey: entityId }), ...context } }
  return curl(`/ofrep/v1/evaluate/flags/${encodeURIComponent(key)}`, body, [
    `X-Svc-Namespace: ${namespaceKey}`,
  ])
}
