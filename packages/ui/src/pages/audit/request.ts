import type { ListEventsRequest } from '@svc/client/api'
import { instantsOf } from '../../history/time-range.ts'
import type { AuditSearch } from './search.ts'

export function toRequest({
  type,
  actor,
  subject,
  since,
  until,
  page,
}: AuditSearch): ListEventsRequest {
  return {
    ...(type !== undefined && { type }),
    ...(actor !== undefined && { actorId: actor }),
    ...(subject !== undefined && { subjectId: subject }),
    ...instantsOf({ ...(since && { since }), ...(until && { until }) }),
    ...(page !== undefined && { pageToken: page }),
  }
}
