import { formatInstant } from '@svc/database'
import type { Details, NewEvent, Origin } from '../../events/event.ts'
import { cliKeys, tokenKeys } from '../records/token.ts'
import type { RevokedToken } from './revoked-tokens.store.ts'

/** Why tokens end, or secrets of tokens do. */
export interface Cause {
  readonly type:
    | 'token.rotated'
    | 'token.deleted'
    | 'token.expired'
    | 'session.signed_out'
    | 'session.ended'
  readonly by: Origin
  readonly details?: Details
}

/** The events of tokens that have ended. What was made of a token or session has ended because that did. */
export function endingsOf(revoked: readonly RevokedToken[], cause: Cause): NewEvent[] {
  const seen = new Set<string>()
  return revoked.flatMap((token, index) => {
    // A token with two secrets comes with each of them.
    if (seen.has(token.id)) return []
    seen.add(token.id)
    return [endingOf(token, cause, index > 0)]
  })
}

/** What the instant is called up to which the secret of a token is good. */
const untilOf = new Map<Cause['type'], string>([
  ['token.rotated', 'previousUntil'],
  ['token.expired', 'expiresAt'],
])

/** @param isOther whether the cause is of another token, of which this one may have been made */
function endingOf(token: RevokedToken, { type, by, details }: Cause, isOther: boolean): NewEvent {
  const { id, metadata, isSession, isCli, validUntil } = token
  const isOfSession = type.startsWith('session.')
  const until = untilOf.get(type)
  const { [isCli ? cliKeys.name : tokenKeys.name]: name } = metadata
  const because = {
    reason: type,
    ...(until !== undefined && { expiresAt: formatInstant(validUntil) }),
  }
  if (isSession && !isOfSession) {
    return { type: 'session.ended', ...by, subject: id, details: because }
  }
  if (isCli && (isOther || isOfSession)) {
    const ending = until === undefined ? 'token.deleted' : 'token.expired'
    return {
      type: ending,
      ...by,
      subject: id,
      details: { ...(name && { name }), ...because, ...details },
    }
  }
  return {
    type,
    ...by,
    subject: id,
    details: {
      ...(name !== undefined && !isSession && { name }),
      ...details,
      ...(until !== undefined && { [until]: formatInstant(validUntil) }),
    },
  }
}
