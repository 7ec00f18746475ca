import type { Token } from '../../data/token.ts'
import { isPast } from './list.ts'

const weekMs = 7 * 24 * 3600_000

/** Whether something would notice: then it is not enough to press a button. */
export function isInUse({ use }: Token, now: number): boolean {
  return use !== undefined && now - Date.parse(use.lastAt) < weekMs
}

/** Whether no other static token could manage tokens after it. */
export function isLastForAll(token: Token, tokens: readonly Token[], now: number): boolean {
  const isForAll = ({ namespaceKey, isWorkload, expiresAt }: Token) =>
    namespaceKey === '' && !isWorkload && !isPast(expiresAt, now)
  return isForAll(token) && !tokens.some((one) => one.id !== token.id && isForAll(one))
}
