import { ticketMac } from '@svc/access'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { unauthenticated } from './errors.ts'

/** Stands for a token in the URL of an event stream: browsers send no headers there. See `ticketMac`. */
export interface Ticket {
  readonly tokenId: string
  readonly mac: Buffer
}

/** @returns nothing for a credential that has no record, and so nothing to find it by */
export function makeTicket(
  { authentication, tokenHash }: Identity,
  namespaceKey: string,
): Ticket | undefined {
  const tokenId = authentication?.id ?? ''
  return tokenId === '' ? undefined : { tokenId, mac: ticketMac(tokenHash, namespaceKey) }
}

export function formatTicket({ tokenId, mac }: Ticket): string {
  return `${tokenId}.${mac.toString('base64url')}`
}

/** @throws {AppError} `unauthenticated` for what is none */
export function parseTicket(text: string): Ticket {
  const [, tokenId, mac] = /^([0-9a-f-]{36})\.([-_A-Za-z0-9]{43})$/.exec(text) ?? []
  if (tokenId === undefined || mac === undefined) throw unauthenticated('malformed_ticket')
  return { tokenId, mac: Buffer.from(mac, 'base64url') }
}
