import type { Refusal } from '@svc/proto/auth/v1/identities'
import { invalidField } from '@svc/runtime'
import { anonymousActor } from '../../events/event.ts'
import type { EventLog } from '../../events/event-log.ts'

/** Maximum refusals of a report. */
const maxRefusals = 1000

/**
 * Counts requests that a gateway has refused. Implausible ones are skipped.
 *
 * @throws {AppError} `invalid_argument` for more than 1,000
 */
export function noteRefusals(events: EventLog, reported: readonly Refusal[]): void {
  if (reported.length > maxRefusals) {
    throw invalidField('refusals', `must be at most ${maxRefusals}`)
  }
  const type = 'request.refused'
  for (const { principal, address, route, reason, status, count, isOther } of reported) {
    if (!(count > 0)) continue
    if (isOther) events.countOther(type, count)
    const isPlausible =
      /^[\x21-\x7e]{0,64}$/.test(principal) &&
      /^[0-9A-Fa-f.:/]{0,64}$/.test(address) &&
      /^[\x21-\x7e]{1,255}$/.test(route) &&
      /^[a-z_]{1,64}$/.test(reason)
    if (isOther || !isPlausible) continue
    const actor = principal === '' ? undefined : { ...anonymousActor, id: principal }
    events.count({ type, actor, address, details: { reason, route, status } }, count)
  }
}
