import { timingSafeEqual } from 'node:crypto'
import type { Queryable } from '@svc/database'
import type { AuthenticateTicketRequest, Identity } from '@svc/proto/auth/v1/identities'
import { ticketMac } from '@svc/runtime'
import { LRUCache } from 'lru-cache'
import { findTokenHash, toBytes } from '../tokens/authentications.store.ts'
import { unauthenticated } from './refusals.ts'

/** Tells whose ticket it is, and refuses it as the token that it was made of would be. */
export type AuthenticateTicket = (ticket: AuthenticateTicketRequest) => Promise<Identity>

/** Some 2 MB. Browsers share the few tokens of their applications. */
const maxHashes = 10_000

/** Finds the token that a ticket was made of. Whether that one is still good is another question. */
export class TicketHolders {
  readonly #db: Queryable
  /** Never outdated: the hash of an id does not change, and no id is given twice. */
  readonly #hashes = new LRUCache<string, string>({ max: maxHashes })

  constructor(db: Queryable) {
    this.#db = db
  }

  /**
   * @returns the hash of the token
   * @throws {AppError} `unauthenticated`, always the same one; `unavailable` when nobody can tell
   */
  async tokenHashOf(ticket: AuthenticateTicketRequest): Promise<string> {
    const { tokenId, namespaceKey, mac } = ticket
    const tokenHash = await this.#find(tokenId)
    if (tokenHash === undefined) throw unauthenticated()
    const expected = ticketMac(toBytes(tokenHash), namespaceKey)
    if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) throw unauthenticated()
    return tokenHash
  }

  async #find(tokenId: string): Promise<string | undefined> {
    // A text with U+0000 is no id, and none that PostgreSQL would take.
    if (!/^[0-9a-f-]{36}$/.test(tokenId)) return undefined
    const known = this.#hashes.get(tokenId)
    if (known !== undefined) return known
    const found = await findTokenHash(this.#db, tokenId)
    if (found !== undefined) this.#hashes.set(tokenId, found)
    return found
  }
}
