/** What the command line asks for, in the fragment of the link: that reaches no server. */
export interface CliLink {
  /** SHA-256 of a text that the command line keeps, in base64url (RFC 7636). */
  readonly challenge: string
  /** Where it listens on this machine. Left out: the code has to be carried there by hand. */
  readonly port: number | undefined
  /** What it calls its machine: anything that the link says. Empty: nothing. */
  readonly host: string
}

/** How it went, as the command line says afterwards. */
export type CliOutcome = 'done' | 'failed'

/** Longer ones are refused by the service. */
const maxHost = 100

/**
 * @param hash as the browser has it, with or without `#`
 * @returns nothing for what `svc login` has not made
 */
export function readCliLink(hash: string): CliLink | CliOutcome | undefined {
  const fields = new URLSearchParams(hash.replace(/^#/, ''))
  const result = fields.get('result')
  if (result === 'done' || result === 'failed') return result
  const challenge = fields.get('challenge') ?? ''
  const port = fields.get('port')
  if (!/^[\w-]{43}$/.test(challenge)) return undefined
  if (port !== null && !(/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535)) return undefined
  // Characters that are not seen, or turn others round, would let a name look like another one.
  const host = (fields.get('host') ?? '').replace(/[\p{Cc}\p{Cf}]/gu, '').trim()
  return {
    challenge,
    port: port === null ? undefined : Number(port),
    host: [...host].slice(0, maxHost).join(''),
  }
}

/**
 * Where the command line waits for an answer: on this machine, and nowhere else. The challenge comes back with
 * it, which other pages do not know.
 */
export function loopbackUrl(
  { challenge: state }: Pick<CliLink, 'challenge'>,
  port: number,
  answer: { readonly code: string } | { readonly error: string },
): string {
  return `http://127.0.0.1:${port}/?${new URLSearchParams({ ...answer, state })}`
}

/** In groups, to be typed. */
export function inGroups(code: string): string {
  return code.replace(/.{5}(?=.)/g, '$&-')
}

/** The longest that such a token lasts, in milliseconds; the service decides. */
const longestMs = 12 * 3600_000

/** When the token will end by itself at the latest, in milliseconds since 1970. */
export function endOf(sessionExpiresAt: string | undefined, now: number): number {
  const end =
    sessionExpiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(sessionExpiresAt)
  return Math.min(end, now + longestMs)
}
