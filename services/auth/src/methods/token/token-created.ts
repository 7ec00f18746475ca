import { formatInstant } from '@svc/database'
import type { AuthenticationRow } from '../../credentials/records/authentications.store.ts'
import { tokenKeys } from '../../credentials/records/token.ts'
import type { Details, NewEvent, Origin } from '../../events/event.ts'

/** The event of a new static token. */
export function tokenCreated(
  { id, metadata, namespaceKey, expiresAt, allowedAddresses }: AuthenticationRow,
  by: Origin,
  details: Details = {},
): NewEvent {
  return {
    type: 'token.created',
    ...by,
    subject: id,
    details: {
      name: metadata[tokenKeys.name] ?? '',
      ...(namespaceKey !== null && { namespaceKey }),
      ...(expiresAt !== null && { expiresAt: formatInstant(expiresAt) }),
      ...(allowedAddresses.length > 0 && { allowedAddresses }),
      ...details,
    },
  }
}
