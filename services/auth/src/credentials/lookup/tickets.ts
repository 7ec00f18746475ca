import { timingSafeEqual } from 'node:crypto'
import { ticketMac } from '@svc/access'
import type { Queryable } from '@svc/database'
import type { AuthenticateTicketRequest, Identity } from '@svc/proto/auth/v1/identities'
import { LRUCache } from 'lru-cache'
import { findTokenHashes } from '../records/authentications.store.ts'
import { unauthenticated } from '../records/refusals.ts'
import { type Hash, toBytes } from '../records/token.ts'

/** Finds the holder of a ticket, and refuses it as the token that it was made of would be. */
export type AuthenticateTicket = (ticket: AuthenticateTicketRequest) => Promise<Identity>

/** Maximum tokens: some 2 MB. Browsers share the few tokens of their applications. */
const maxTokens = 10_000

/**
 * How long the cached secrets of a token are enough to refuse a ticket, in milliseconds. After that the
 * database is read again: the token may have another secret.
 */
const trustedForMs = 1000

/** The secrets of a token by their hashes, and when they were looked up. */
interface Secrets {
  readonly tokenHashes: readonly Hash[]
  readonly foundAt: number
}

/** Finds the secret that a ticket was made of. Whether that is still valid is decided elsewhere. */
export class TicketHolders {
  readonly #db: Queryable
  readonly #secrets = new LRUCache<string, Secrets>({ max: maxTokens })

  constructor(db: Queryable) {
    this.#db = db
  }

  /**
   * @returns the hash of the secret
   * @throws {AppError} `unauthenticated`; `unavailable` when it cannot be decided
   */
  async tokenHashOf(ticket: AuthenticateTicketRequest): Promise<Hash> {
    const { tokenId } = ticket
    // Also refuses U+0000, which PostgreSQL does not accept.
    if (!/^[0-9a-f-]{36}$/.test(tokenId)) throw unauthenticated()
    const known = this.#secrets.get(tokenId)
    const made = known && findSecret(known, ticket)
    if (made !== undefined) return made
    if (known !== undefined && performance.now() - known.foundAt < trustedForMs) {
      throw unauthenticated()
    }
    const foundAt = performance.now()
    const found = { tokenHashes: await findTokenHashes(this.#db, tokenId), foundAt }
    if (found.tokenHashes.length > 0) this.#secrets.set(tokenId, found)
    const tokenHash = findSecret(found, ticket)
    if (tokenHash === undefined) throw unauthenticated()
    return tokenHash
  }
}

function findSecret({ tokenHashes }: Secrets, ticket: AuthenticateTicketRequest) {
  const { namespaceKey, mac } = ticket
  return tokenHashes.find((tokenHash) => {
    const expected = ticketMac(toBytes(tokenHash), namespaceKey)
    return mac.length === expected.length && timingSafeEqual(mac, expected)
  })
}
