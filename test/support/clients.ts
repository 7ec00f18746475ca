/** For the settings of a stack: it trusts this machine as a proxy. */
export const trustingEnv = { SVC_SERVER_TRUSTED_PROXIES: '127.0.0.0/8' } as const

let count = 0

/**
 * A header that makes a request one of another client: otherwise those that are refused would make
 * each other wait. Trusted where {@link trustingEnv} is set.
 */
export function ofAnotherClient(): Readonly<Record<string, string>> {
  count = (count + 1) % 2 ** 24
  const address = [count >> 16, (count >> 8) & 255, count & 255].join('.')
  return { 'x-forwarded-for': `10.${address}` }
}
