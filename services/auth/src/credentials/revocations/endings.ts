import { formatInstant } from '@svc/database'
import type { Details, NewEvent, Origin } from '../../events/event.ts'
import { tokenKeys } from '../records/token.ts'
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

/** The events of tokens that have ended. Sessions that were made of a token have ended because it did. */
export function endingsOf(revoked: readonly RevokedToken[], cause: Cause): NewEvent[] {
  const seen = new Set<string>()
  return revoked.flatMap((token) => {
    // A token with two secrets comes with each of them.
    if (seen.has(token.id)) return []
    seen.add(token.id)
    return [endingOf(token, cause)]
  })
}

/** What the instant is called up to which the secret of a token is good. */
const untilOf = new Map<Cause['type'], string>([
  ['token.rotated', 'previousUntil'],
  ['token.expired', 'expiresAt'],
])

function endingOf(token: RevokedToken, { type, by, details }: Cause): NewEvent {
  const { id, metadata, isSession, validUntil } = token
  const isOfSession = type.startsWith('session.')
  const until = untilOf.get(type)
  const { [tokenKeys.name]: name } = metadata
  if (isSession && !isOfSession) {
    const endsLater = until !== undefined && { expiresAt: formatInstant(validUntil) }
    return { type: 'session.ended', ...by, subject: id, details: { reason: type, ...endsLater } }
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
