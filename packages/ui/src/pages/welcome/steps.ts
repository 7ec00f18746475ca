import type { Token } from '../../data/token.ts'

/** Tokens for applications of a namespace, the newest first. One for all namespaces is for people. */
export function appTokens(
  tokens: readonly Token[],
  namespaceKey: string,
  now: number,
): readonly Token[] {
  return tokens
    .filter(
      (token) =>
        !token.isCli &&
        token.namespaceKey === namespaceKey &&
        (token.expiresAt === undefined || Date.parse(token.expiresAt) > now),
    )
    .toSorted((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt))
}

interface Facts {
  readonly hasFlag: boolean
  /** Whether the flag was asked for on this page. */
  readonly hasAsked: boolean
  readonly tokens: readonly Token[]
}

export interface Steps {
  /** A flag, an answer, a token, and an application that asks. */
  readonly done: readonly [boolean, boolean, boolean, boolean]
  /** The first that is not done; 4 when all are. */
  readonly current: number
}

/** What of the first steps is done, here or elsewhere. */
export function stepsOf({ hasFlag, hasAsked, tokens }: Facts): Steps {
  const isUsed = hasFlag && tokens.some(({ use }) => use !== undefined)
  const done = [hasFlag, hasFlag && (hasAsked || isUsed), tokens.length > 0, isUsed] as const
  const open = done.indexOf(false)
  return { done, current: open === -1 ? done.length : open }
}
