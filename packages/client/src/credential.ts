import { SvcError } from './api/error.ts'

/** Where the token for a request comes from. */
export interface TokenSource {
  /**
   * @returns the token; none where no credential is used
   * @throws {SvcError} when there is none to be had
   */
  get(): Promise<string | undefined>
  /**
   * Looks for another token, after one was refused.
   *
   * @returns whether there is one
   */
  renew(refused: string | undefined): Promise<boolean>
  /** Whether what tokens are made of has changed since it was last used. */
  hasChanged(): Promise<boolean>
  close(): void
}

/** A token that stays as it is, or none. */
export function fixedToken(token: string | undefined): TokenSource {
  const checked = token === undefined ? undefined : checkToken(token, 'credential.token')
  return {
    get: async () => checked,
    renew: async () => false,
    hasChanged: async () => false,
    close() {},
  }
}

/**
 * @param origin where the token is from
 * @returns the token, without white space around it
 * @throws {SvcError} code 16 for a text that can be no token; it is not in the message
 */
export function checkToken(text: string, origin: string): string {
  const token = text.trim()
  if (/^[\x21-\x7e]+$/.test(token)) return token
  const fault = token === '' ? 'is empty' : 'has characters that no token has'
  throw new SvcError(`${origin} ${fault}`, { status: 0, code: 16 })
}
