import { createHash, randomBytes } from 'node:crypto'
import { formatCookie } from '@svc/access'
import { type Browser, loginCookies, setCookie } from '../../credentials/browser.ts'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import type { Hash } from '../../credentials/records/token.ts'
import type { ReplayGuard } from './replay-guard.ts'
import { open, seal } from './seal.ts'

/** An identity provider. A flow that began at one cannot be finished at another. */
export interface LoginProvider {
  /** For example `oidc/google`. */
  readonly name: string
  /** An issuer, or the URL of a code host. */
  readonly issuer: string
}

/** A login in progress (RFC 6749 section 4.1), bound to the browser that began it. */
export interface Flow {
  readonly state: string
  readonly nonce: string
  /** RFC 7636: 43 characters. */
  readonly codeVerifier: string
  /** A path of this service. */
  readonly returnTo: string
  /** Hash of the client token of the session that the browser had at the beginning. */
  readonly replaces?: Hash | undefined
}

export interface FlowOptions {
  /** The first seals; all of them open. */
  readonly keys: readonly [Buffer, ...Buffer[]]
  readonly session: { readonly insecure: boolean; readonly stateLifetime: number }
  readonly replays: ReplayGuard
  /** A clock that all replicas share, in milliseconds since 1970. */
  readonly nowMs: () => number
}

/** Maximum flows of a browser, such as abandoned tabs: they fit into its headers. */
const maxFlows = 5

/**
 * @param returnTo where the browser goes after the login
 * @param replaces hash of the client token of its present session
 */
export function createFlow(returnTo: string, replaces?: Hash): Flow {
  const [state, nonce, codeVerifier] = [random(), random(), random()]
  return {
    ...{ state, nonce, codeVerifier, returnTo: toLocalPath(returnTo) },
    ...(replaces !== undefined && { replaces }),
  }
}

/**
 * Logins in progress are stored in cookies of their browser, sealed: abandoned ones cost nothing here,
 * and any replica can finish what another one began.
 */
export class Flows {
  readonly #options: FlowOptions
  /** Browsers accept `__Host-` only over https and from this host itself. */
  readonly #prefix: string

  constructor(options: FlowOptions) {
    this.#options = options
    this.#prefix = `${options.session.insecure ? '' : '__Host-'}svc_flow_`
  }

  begin(provider: LoginProvider, flow: Flow, browser: Browser): void {
    const { keys, nowMs, session } = this.#options
    const name = this.#nameOf(flow.state)
    const beganAt = Math.floor(nowMs()).toString(36)
    this.#makeRoom(browser)
    const content = seal(keys[0], contextOf(provider, name, beganAt), JSON.stringify(flow))
    this.#set(browser, name, `${beganAt}.${content}`, session.stateLifetime)
  }

  /**
   * Ends the flow of the state, whether the login succeeds or not.
   *
   * @throws {AppError} `unauthenticated` when this browser began no such flow at this provider, or it has
   *   expired or was finished before
   */
  async finish(provider: LoginProvider, state: string, browser: Browser): Promise<Flow> {
    const { keys, nowMs, replays, session } = this.#options
    const name = this.#nameOf(state)
    const cookie = loginCookies(browser).get(name)
    if (cookie === undefined) throw unauthenticated('not_begun')
    this.#set(browser, name, '', 0)
    const [beganAt = '', ...content] = cookie.split('.')
    const text = open(keys, contextOf(provider, name, beganAt), content.join('.'))
    if (text === undefined) throw unauthenticated('not_begun')
    const flow = JSON.parse(text) as Flow
    const hasExpired = nowMs() >= toMs(beganAt) + session.stateLifetime
    if (flow.state !== state || hasExpired) throw unauthenticated('not_begun')
    // RFC 7636 section 4.1. The library leaves out an empty one.
    if (!/^[\w-]{43,128}$/.test(flow.codeVerifier)) throw unauthenticated('not_begun')
    if (!(await replays.claim('flow', state, session.stateLifetime)))
      throw unauthenticated('not_begun')
    return flow
  }

  /** Drops the oldest flows, so that a new one stays within the limit. */
  #makeRoom(browser: Browser): void {
    const flows = [...loginCookies(browser)]
      .filter(([name]) => name.startsWith(this.#prefix))
      .sort(([, a], [, b]) => toMs(b.split('.')[0] ?? '') - toMs(a.split('.')[0] ?? ''))
    for (const [name] of flows.slice(maxFlows - 1)) this.#set(browser, name, '', 0)
  }

  #set(browser: Browser, name: string, value: string, maxAgeMs: number): void {
    const { insecure } = this.#options.session
    setCookie(browser, formatCookie({ name, value, maxAgeMs, insecure, sameSite: 'Lax' }))
  }

  #nameOf(state: string): string {
    const hash = createHash('sha256').update(state).digest('base64url')
    return `${this.#prefix}${hash.slice(0, 8)}`
  }
}

function contextOf(
  { name: provider, issuer }: LoginProvider,
  cookie: string,
  beganAt: string,
): string {
  return JSON.stringify(['flow 1', provider, issuer, cookie, beganAt])
}

/** 256 bits. */
function random(): string {
  return randomBytes(32).toString('base64url')
}

/** 0, long ago, for a text that is no time. */
function toMs(beganAt: string): number {
  return /^[0-9a-z]{1,10}$/.test(beganAt) ? Number.parseInt(beganAt, 36) : 0
}

/** Maximum length of a path: enough for a page with its filters. It travels in up to five cookies. */
const maxLength = 512

/**
 * Prevents open redirects: after a login a browser goes to a path of this service only. Browsers read
 * backslashes as slashes and drop tabs and line ends, so these are refused, as is all that is not ASCII.
 *
 * @returns `/` for any other target
 */
export function toLocalPath(target: string): string {
  return target.length <= maxLength && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(target)
    ? target
    : '/'
}
