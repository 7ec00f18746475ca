import { createHash, randomBytes } from 'node:crypto'
import { formatCookie } from '@svc/access'
import { type Browser, loginCookies, setCookie } from '../../credentials/browser.ts'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import type { Once } from './once.ts'
import { toLocalPath } from './redirects.ts'
import { open, seal } from './seal.ts'

/** Where somebody logs in. A flow that was begun at one cannot be finished at another. */
export interface LoginPlace {
  /** For example `oidc/google`. */
  readonly name: string
  /** Who answers there: an issuer, or the URL of a code host. */
  readonly issuer: string
}

/** A login under way: what has to come back, and what only this browser's login knows. */
export interface Flow {
  readonly state: string
  readonly nonce: string
  /** RFC 7636: 43 characters. */
  readonly codeVerifier: string
  /** A path of this service. */
  readonly returnTo: string
}

export interface FlowsParts {
  /** The first seals; all of them open. */
  readonly keys: readonly Buffer[]
  readonly session: { readonly insecure: boolean; readonly stateLifetime: number }
  readonly once: Once
  /** By a clock that all replicas share. */
  readonly nowMs: () => number
}

/** How many a browser may have under way: tabs that were left alone. They fit into its headers. */
const maxFlows = 5

/**
 * Logins under way lie in the browser that began them, sealed, so that there is nothing to keep here
 * for people who never come back, and any replica can finish what another one began.
 */
export class Flows {
  readonly #parts: FlowsParts

  constructor(parts: FlowsParts) {
    this.#parts = parts
  }

  /** @param returnTo where the browser wants to be afterwards */
  begin(place: LoginPlace, returnTo: string, browser: Browser): Flow {
    const { keys, nowMs, session } = this.#parts
    const [key] = keys
    if (key === undefined) throw new Error('there is no key to seal flows with')
    const flow = {
      state: random(),
      nonce: random(),
      codeVerifier: random(),
      returnTo: toLocalPath(returnTo),
    }
    const name = this.#nameOf(flow.state)
    const beganAt = Math.floor(nowMs()).toString(36)
    this.#makeRoom(browser)
    const content = seal(key, contextOf(place, name, beganAt), JSON.stringify(flow))
    this.#set(browser, name, `${beganAt}.${content}`, session.stateLifetime)
    return flow
  }

  /**
   * Ends the flow that the state belongs to, whatever comes of it.
   *
   * @throws {AppError} `unauthenticated` when this browser began none of this state at this place, or
   *   too long ago, or has finished it already
   */
  async finish(place: LoginPlace, state: string | undefined, browser: Browser): Promise<Flow> {
    if (!state) throw unauthenticated()
    const { keys, nowMs, once, session } = this.#parts
    const name = this.#nameOf(state)
    const cookie = loginCookies(browser).get(name)
    if (cookie === undefined) throw unauthenticated()
    this.#set(browser, name, '', 0)
    const [beganAt = '', ...content] = cookie.split('.')
    const text = open(keys, contextOf(place, name, beganAt), content.join('.'))
    if (text === undefined) throw unauthenticated()
    const flow = JSON.parse(text) as Flow
    const isLate = nowMs() >= toMs(beganAt) + session.stateLifetime
    if (flow.state !== state || isLate) throw unauthenticated()
    if (!(await once.mark('flow', state, session.stateLifetime))) throw unauthenticated()
    return flow
  }

  /** Forgets the oldest ones, so that with a new one there are not too many. */
  #makeRoom(browser: Browser): void {
    const flows = [...loginCookies(browser)]
      .filter(([name]) => name.startsWith(this.#prefix))
      .sort(([, a], [, b]) => toMs(b.split('.')[0] ?? '') - toMs(a.split('.')[0] ?? ''))
    for (const [name] of flows.slice(maxFlows - 1)) this.#set(browser, name, '', 0)
  }

  #set(browser: Browser, name: string, value: string, maxAgeMs: number): void {
    const { insecure } = this.#parts.session
    setCookie(browser, formatCookie({ name, value, maxAgeMs, insecure, sameSite: 'Lax' }))
  }

  #nameOf(state: string): string {
    const hash = createHash('sha256').update(state).digest('base64url')
    return `${this.#prefix}${hash.slice(0, 8)}`
  }

  /** Browsers take `__Host-` only over https; then nobody else can have set it. */
  get #prefix(): string {
    return `${this.#parts.session.insecure ? '' : '__Host-'}svc_flow_`
  }
}

function contextOf({ name: place, issuer }: LoginPlace, cookie: string, beganAt: string): string {
  return JSON.stringify(['flow 1', place, issuer, cookie, beganAt])
}

/** 256 bits. */
function random(): string {
  return randomBytes(32).toString('base64url')
}

/** Of what is no time, 0: long ago. */
function toMs(beganAt: string): number {
  return /^[0-9a-z]{1,10}$/.test(beganAt) ? Number.parseInt(beganAt, 36) : 0
}
