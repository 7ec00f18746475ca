import { invalidField } from '@svc/runtime'
import type { Exchange } from '../../http/exchange.ts'

/** What a write expects of the present state, for the service that checks it. */
export function preconditionOf({ request }: Pick<Exchange, 'request'>): Record<string, string> {
  const ifMatch = request.raw.headers['if-match']
  if (ifMatch === undefined) return {}
  // Metadata has no other characters, and no tag of ours has.
  if (/^[\t\x20-\x7e]*$/.test(ifMatch)) return { 'svc-if-match': ifMatch.replaceAll('\t', ' ') }
  throw invalidField('If-Match', 'must be * or a list of tags, such as "default:42"')
}
