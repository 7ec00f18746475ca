import type { Test } from 'tap'
import { type Browser, openBrowser } from '../support/browser.ts'
import type { FakeCodehost, Person } from '../support/codehost.ts'
import { goThere, logIn } from '../support/codehost-login.ts'
import { unauthenticated } from '../support/errors.ts'
import { type ServerFault, says } from '../support/faults.ts'
import type { Answer } from '../support/http.ts'

export const acme = { id: 101, login: 'acme' }
export const dev = { id: 201, slug: 'dev', organization: acme }

/** An account that may log in, as long as nothing goes wrong. */
export const member: Person = {
  id: 42,
  login: 'octo',
  name: 'Octo',
  email: 'octo@example.com',
  organizations: [acme],
  teams: [dev],
}

export interface Attempt {
  readonly browser: Browser
  readonly codehost: FakeCodehost
  readonly urls: Urls
}

/** Of gateways: each lets in some logins a second only. */
type Urls = readonly [string, ...string[]]

/** Makes a login go wrong. */
export type Act = (attempt: Attempt) => Promise<Answer>
export type Cases = Readonly<Record<string, Act>>

export interface Expected {
  readonly status: 400 | 401 | 405 | 503
  /** Whether the code host may be asked for a token at all. */
  readonly mayAsk: boolean
}

const away = { code: 14, message: 'the code host is unavailable, try again' }

/** Plays logins that must not come to anything, and counts them. */
export class Refusals {
  readonly #codehost: FakeCodehost
  readonly #urls: Urls
  count = 0
  accepted = 0

  constructor(codehost: FakeCodehost, urls: Urls) {
    this.#codehost = codehost
    this.#urls = urls
  }

  /** Each of them in a browser of its own. */
  async expect(t: Test, { status, mayAsk }: Expected, cases: Cases): Promise<void> {
    for (const [name, act] of Object.entries(cases)) {
      await t.test(name, async (t) => {
        const browser = openBrowser(...this.#urls)
        this.#codehost.asked.length = 0
        const answer = await act({ browser, codehost: this.#codehost, urls: this.#urls })
        this.#codehost.faults.clear()
        this.#codehost.person = member
        this.count += 1
        const isIn = browser.cookies.has('svc_client_token') || answer.status < 400
        if (isIn) this.accepted += 1
        t.notOk(isIn, 'no login comes of it')
        t.equal(answer.status, status)
        if (status === 401) t.strictSame(answer.body, unauthenticated)
        if (status === 503) t.strictSame(answer.body, { ...away, details: [] })
        t.equal(answer.headers.get('location'), null)
        const asked = this.#codehost.asked.includes('/login/oauth/access_token')
        t.ok(mayAsk || !asked, 'the code host is not asked for a token')
      })
    }
  }
}

/** Comes back from the code host with another query than it gave. */
export function comingBack(change: (query: URLSearchParams, codehost: FakeCodehost) => void): Act {
  return async ({ browser, codehost }) => {
    const url = new URL(await goThere(browser), 'http://gateway')
    change(url.searchParams, codehost)
    return browser.send('GET', url.pathname + url.search)
  }
}

/** Comes back with other cookies than the login began with. */
export function withCookies(change: (browser: Browser, name: string, value: string) => void): Act {
  return async ({ browser }) => {
    const way = await goThere(browser)
    const [name, value] = flowOf(browser)
    change(browser, name, value)
    return browser.send('GET', way)
  }
}

/** The cookie in which the only login under way is kept. */
export function flowOf({ cookies }: Browser): readonly [string, string] {
  const [flow] = [...cookies].filter(([name]) => name.includes('svc_flow_'))
  if (flow === undefined) throw new Error('no login is under way')
  return flow
}

/** The code host does something else than it should, and the login goes on as if it did not. */
export function withFault(path: string, fault: ServerFault): Act {
  return async ({ browser, codehost }) => {
    codehost.faults.set(path, fault)
    return logIn(browser)
  }
}

/** Answers with what it is given, as JSON unless it is a text. */
export function answering(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): ServerFault {
  return says(status, typeof body === 'string' ? body : JSON.stringify(body), headers)
}

/** Logs another account in. */
export function as(who: Partial<Person>): Act {
  return async ({ browser, codehost }) => {
    codehost.person = { ...member, ...who }
    return logIn(browser)
  }
}

/** The text with another character there. */
export function other(text: string, at: number): string {
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
}
