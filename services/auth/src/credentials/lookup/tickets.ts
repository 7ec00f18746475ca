import { timingSafeEqual } from 'node:crypto'
import { ticketMac } from '@svc/access'
import type { Queryable } from '@svc/database'
import type { AuthenticateTicketRequest } from '@svc/proto/auth/v1/identities'
import { findTokenHashes } from '../records/authentications.store.ts'
import { unauthenticated } from '../records/refusals.ts'
import { type Hash, toBytes } from '../records/token.ts'

/**
 * Finds the secret that a ticket was made of. Whether that is still valid is decided elsewhere.
 *
 * @throws {AppError} `unauthenticated`; `unavailable` when it cannot be decided
 */
export async function secretOfTicket(
  db: Queryable,
  { tokenId, namespaceKey, mac }: AuthenticateTicketRequest,
): Promise<Hash> {
  // Also refuses U+0000, which PostgreSQL does not accept.
  const isId = /^[0-9a-f-]{36}$/.test(tokenId)
  const tokenHash = (isId ? await findTokenHashes(db, tokenId) : []).find((one) => {
    const expected = ticketMac(toBytes(one), namespaceKey)
    return mac.length === expected.length && timingSafeEqual(mac, expected)
  })
  if (tokenHash === undefined) throw unauthenticated()
  return tokenHash
}
