import type { ListChangesRequest } from '@svc/client/api'
import { instantsOf } from '../../history/time-range.ts'
import type { ChangesSearch, Kind } from './search.ts'

const apiKinds = {
  flag: 'FLAG_KIND',
  segment: 'SEGMENT_KIND',
  namespace: 'NAMESPACE_KIND',
} as const satisfies Readonly<Record<Kind, ListChangesRequest['kind']>>

export function toRequest(
  namespaceKey: string,
  { kind, key, actor, source, since, until, page }: ChangesSearch,
): ListChangesRequest {
  return {
    namespaceKey,
    ...(kind !== undefined && { kind: apiKinds[kind] }),
    ...(key !== undefined && { key }),
    ...(actor !== undefined && { actorId: actor }),
    ...(source !== undefined && { source }),
    ...instantsOf({ ...(since && { since }), ...(until && { until }) }),
    ...(page !== undefined && { pageToken: page }),
  }
}
