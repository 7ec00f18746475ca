import { isKey } from '@svc/contract'
import { failSpan } from '@svc/telemetry'
import type { Exchange } from './exchange.ts'

/** Maximum keys on a span: of a batch only the first are named. */
const maxKeys = 10

/** Ends the span of a request that has been answered, if it has one. */
export function endSpan(exchange: Exchange, status: number): void {
  const { span, namespaceKeys } = exchange
  if (span === undefined) return
  exchange.span = undefined
  span.setAttribute('http.response.status_code', status)
  if (namespaceKeys !== undefined)
    span.setAttribute('svc.namespaces', [...firstKeys(namespaceKeys)])
  if (status >= 500) failSpan(span, String(status))
  span.end()
}

/** A text that cannot be a key is left out: it may be anything. */
export function firstKeys(keys: readonly string[]): readonly string[] {
  return [...new Set(keys.filter(isKey))].slice(0, maxKeys)
}
