import { SvcError } from './api/error.ts'
import { spread } from './backoff.ts'
import { checkToken, fixedToken, type TokenSource } from './credential.ts'
import type { ReadText } from './file-token.ts'
import { Http } from './http.ts'
import { maxTimeoutMs, unref } from './timers.ts'
import type { ServiceAccount } from './types.ts'

/** Where clusters mount the token of a pod's service account. */
const usualFile = '/var/run/secrets/kubernetes.io/serviceaccount/token'

/** Share of its life after which a client token is renewed, give or take a tenth of that. */
const renewAt = 0.8
const renewSpread = 0.1

/**
 * Share of its life after which the file is read again while the cluster has not written a new token: the old one would
 * give a client token that ends with the present one.
 */
const rereadEach = 0.02

/** Shortest wait until an exchange that is due, and until the file is read again, in milliseconds. */
const minRenewMs = 1000
const minRereadMs = 100

/** Time that an exchange may take, in milliseconds. */
const exchangeTimeoutMs = 10_000

/** Wait after a renewal that failed, in milliseconds; doubles with each. */
const minRetryMs = 1000
const maxRetryMs = 30_000

export interface WorkloadOptions extends ServiceAccount {
  /** Of the service, without a slash at its end. */
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  readonly readText: ReadText
}

interface Exchanged {
  readonly token: string
  /** When it expires by the clock of the server, in milliseconds since 1970; `undefined` when it does not. */
  readonly expiresAtMs: number | undefined
  /** In milliseconds, by the same clock. */
  readonly lifeMs: number
}

/**
 * The client token of a workload, for the token of its service account. It is renewed before it expires,
 * and when it is refused; one exchange at a time, and each reads the file again.
 */
export class WorkloadToken implements TokenSource {
  readonly #options: WorkloadOptions
  readonly #file: string
  readonly #http: Http
  readonly #closed = new AbortController()
  #token: string | undefined
  /** What was read for the exchange that was tried last. */
  #triedText: string | undefined
  /** What came of the last one that succeeded. */
  #exchanged: Exchanged | undefined
  #exchange: Promise<string> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #failures = 0

  constructor(options: WorkloadOptions) {
    const { url, fetch, file = usualFile } = options
    this.#options = options
    this.#file = file
    this.#http = new Http({ url, fetch, tokens: fixedToken(undefined) })
  }

  async get(): Promise<string> {
    return this.#token ?? (await this.#exchangeOnce())
  }

  async renew(refused: string | undefined): Promise<boolean> {
    // Another request may have found out before.
    if (this.#token !== undefined && this.#token !== refused) return true
    return (await this.#exchangeOnce()) !== refused
  }

  async hasChanged(): Promise<boolean> {
    return await this.#read().then(
      (text) => text !== this.#triedText,
      () => false,
    )
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#closed.abort()
  }

  /** Joins the exchange that is under way, if there is one. */
  #exchangeOnce(): Promise<string> {
    this.#exchange ??= this.#renew().finally(() => {
      this.#exchange = undefined
    })
    return this.#exchange
  }

  async #renew(): Promise<string> {
    clearTimeout(this.#timer)
    try {
      const exchanged = await this.#fetchToken()
      const { token, lifeMs, expiresAtMs } = exchanged
      this.#token = token
      this.#exchanged = exchanged
      this.#failures = 0
      if (expiresAtMs !== undefined) {
        this.#renewIn(Math.max(minRenewMs, spread(lifeMs * renewAt, renewSpread)))
      }
      return token
    } catch (error) {
      // Without a token those who need one ask again by themselves.
      if (this.#token !== undefined) {
        this.#renewIn(spread(Math.min(minRetryMs * 2 ** this.#failures++, maxRetryMs)))
      }
      throw error
    }
  }

  #renewIn(ms: number): void {
    if (this.#closed.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#renewWhenDue(), Math.min(ms, maxTimeoutMs))
    unref(this.#timer)
  }

  async #renewWhenDue(): Promise<void> {
    if (await this.#wouldGainNothing()) {
      const { lifeMs = 0 } = this.#exchanged ?? {}
      // Another exchange, after a refusal, has set its own timer meanwhile.
      if (this.#exchange === undefined) {
        this.#renewIn(Math.max(minRereadMs, spread(lifeMs * rereadEach, renewSpread)))
      }
      return
    }
    // What it had stays in use; when that is refused, the request says so.
    await this.#exchangeOnce().catch(() => {})
  }

  /** Whether the file has the token that was exchanged last, and that ends when the client token does. */
  async #wouldGainNothing(): Promise<boolean> {
    if (await this.hasChanged()) return false
    const { expiresAtMs } = this.#exchanged ?? {}
    const ownExpiresAtMs = expiryOf(this.#triedText)
    return (
      expiresAtMs !== undefined && ownExpiresAtMs !== undefined && ownExpiresAtMs <= expiresAtMs
    )
  }

  async #read(): Promise<string> {
    return checkToken(await this.#options.readText(this.#file), this.#file)
  }

  async #fetchToken(): Promise<Exchanged> {
    const text = await this.#read()
    const { audience } = this.#options
    this.#triedText = text
    if (audience !== undefined) checkAudience(text, audience, this.#file)
    const response = await this.#http.send('/auth/v1/method/orchestrator/serviceaccount', {
      method: 'POST',
      body: JSON.stringify({ serviceAccountToken: text }),
      signal: AbortSignal.any([this.#closed.signal, AbortSignal.timeout(exchangeTimeoutMs)]),
    })
    return toExchanged(await response.json())
  }
}

function toExchanged(body: unknown): Exchanged {
  const { clientToken, authentication } = body as {
    readonly clientToken: string
    readonly authentication: { readonly createdAt: string; readonly expiresAt?: string }
  }
  const { createdAt, expiresAt } = authentication
  const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt)
  return {
    token: checkToken(clientToken, 'the token of the exchange'),
    expiresAtMs,
    lifeMs: (expiresAtMs ?? Number.POSITIVE_INFINITY) - Date.parse(createdAt),
  }
}

/** @throws {SvcError} code 16 for a token of another audience; one that is no JWT is for the server to judge */
function checkAudience(token: string, audience: string, file: string): void {
  const audiences = audiencesOf(token)
  if (audiences === undefined || audiences.includes(audience)) return
  const message =
    `the token in ${file} is made for ${audiences.join(', ')}, not for ${audience}: ` +
    'set the audience of the projected volume'
  throw new SvcError(message, { status: 0, code: 16 })
}

/** The audiences that a JWT names (RFC 7519, section 4.1.3). */
function audiencesOf(token: string): readonly unknown[] | undefined {
  const { aud } = claimsOf(token)
  return aud === undefined ? undefined : [aud].flat()
}

/** When a JWT expires, in milliseconds since 1970 (section 4.1.4). */
function expiryOf(token = ''): number | undefined {
  const { exp } = claimsOf(token)
  return typeof exp === 'number' ? exp * 1000 : undefined
}

/** What a JWT says, unverified; nothing of what is none. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
  try {
    const [, payload = ''] = token.split('.')
    const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    return typeof claims === 'object' && claims !== null ? claims : {}
  } catch {
    return {}
  }
}
