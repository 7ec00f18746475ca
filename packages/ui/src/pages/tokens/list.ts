import type { Token } from '../../data/token.ts'
import type { Sort, TokensSearch } from './search.ts'

/** From then on before its end a token needs attention, in milliseconds. */
const soonMs = 7 * 24 * 3600_000

/** @param at an instant; nothing is never */
export function isPast(at: string | undefined, now: number): boolean {
  return at !== undefined && Date.parse(at) <= now
}

export function isExpiring({ expiresAt }: Token, now: number): boolean {
  return expiresAt !== undefined && !isPast(expiresAt, now) && Date.parse(expiresAt) - now < soonMs
}

/** The tokens that meet all filters, sorted. The service itself cannot search and sort them. */
export function pick(
  tokens: readonly Token[],
  { q, works, state, sort = 'name' }: TokensSearch,
  now: number,
): readonly Token[] {
  const text = q?.toLowerCase()
  return tokens
    .filter((token) => text === undefined || textOf(token).includes(text))
    .filter(
      ({ namespaceKey }) => works === undefined || namespaceKey === (works === '*' ? '' : works),
    )
    .filter((token) => state === undefined || isIn(token, state, now))
    .toSorted(orders[sort])
}

function textOf({ id, name, description, allowedAddresses }: Token): string {
  return [name, description, id, ...allowedAddresses].join('\n').toLowerCase()
}

function isIn(token: Token, state: NonNullable<TokensSearch['state']>, now: number): boolean {
  if (state === 'unused') return token.use === undefined
  return state === 'expired' ? isPast(token.expiresAt, now) : isExpiring(token, now)
}

const { compare } = new Intl.Collator('en', { numeric: true })
const byName = (one: Token, other: Token) => compare(one.name, other.name)
const byInstant = (one: string | undefined, other: string | undefined) =>
  one === other ? 0 : (one ?? '9') < (other ?? '9') ? -1 : 1

const orders: Readonly<Record<Sort, (one: Token, other: Token) => number>> = {
  name: byName,
  '-name': (one, other) => byName(other, one),
  createdAt: (one, other) => byInstant(one.createdAt, other.createdAt),
  '-createdAt': (one, other) => byInstant(other.createdAt, one.createdAt),
  expiresAt: (one, other) => byInstant(one.expiresAt, other.expiresAt) || byName(one, other),
  '-usedAt': (one, other) =>
    byInstant(other.use?.lastAt ?? '0', one.use?.lastAt ?? '0') || byName(one, other),
}
