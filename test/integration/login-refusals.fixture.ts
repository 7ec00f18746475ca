import { readFileSync } from 'node:fs'
import type { Test } from 'tap'
import { parse } from 'yaml'
import { type Browser, openBrowser } from '../support/browser.ts'
import { unauthenticated } from '../support/errors.ts'
import { breaksOff, floods, type ServerFault, says } from '../support/faults.ts'
import type { Answer } from '../support/http.ts'

/** Cases of `test/fixtures/logins`, which say how they are written. */
export function readCases<T>(name: string): T {
  const url = new URL(`../../fixtures/logins/${name}.cases.yml`, import.meta.url)
  return parse(readFileSync(url, 'utf8'))
}

type Values = Readonly<Record<string, unknown>>

/** Fills in the placeholders of a text, in the ways that `callbacks.cases.yml` lists. */
export function fill(text: string, values: Values): string {
  const placeholder = /\{(\w+)(?:\|([^|]*)\|([^|}]*)|~(\d+)|(\^))?\}/g
  const all: Values = { ...values, long: 'a'.repeat(2000) }
  return text.replaceAll(placeholder, (_, name, pattern, replacement, at, capitals) => {
    const value = String(all[name])
    if (pattern !== undefined) return value.replace(new RegExp(pattern), replacement)
    if (at !== undefined) return changeAt(value, Number(at))
    return capitals === undefined ? value : value.toUpperCase()
  })
}

function changeAt(text: string, at: number): string {
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
}

/** An answer of a provider: a fault by its name, or what is sent. */
export type Described = keyof typeof faults | DescribedAnswer

export interface DescribedAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, unless it is a text. */
  readonly body?: unknown
  /** As many are sent, in a list. */
  readonly times?: number
}

const faults = { breaksOff, floods }

export function toFault(described: Described, values: Values = {}): ServerFault {
  if (typeof described === 'string') return faults[described]
  const { body, times, status = 200, headers = {} } = described
  const content = times === undefined ? body : Array.from({ length: times }, () => body)
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  const filled = Object.entries(headers).map(([name, value]) => [name, fill(value, values)])
  return says(status, fill(text, values), Object.fromEntries(filled))
}

/** A provider, in whose logins something goes wrong. */
export interface Site {
  /** Of gateways: each lets in some logins a second only. */
  readonly urls: readonly [string, ...string[]]
  /** Begins a login. @returns where the provider sends the browser back to */
  begin(browser: Browser): Promise<URL>
  /** How often the provider was asked for a token. */
  redeemed(): number
}

/** Makes a login go wrong. */
export type Act = (browser: Browser, site: Site) => Promise<Answer>

export const comeBack = (browser: Browser, { pathname, search }: URL, method = 'GET') =>
  browser.send(method, pathname + search)

/** How a browser comes back with something else than it was given. */
interface ChangedCallback {
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>
  readonly cookie?: string | null
  readonly cookieName?: string
}

const groups: Readonly<Record<string, Readonly<Record<string, ChangedCallback>>>> =
  readCases('callbacks')

/** Every case of `callbacks.cases.yml`. */
export const callbacks: Readonly<Record<string, Act>> = Object.fromEntries(
  Object.entries(groups).flatMap(([group, cases]) =>
    Object.entries(cases).map(([name, change]) => [`${group}: ${name}`, toAct(change)]),
  ),
)

function toAct({ query = {}, cookie = '{cookie}', cookieName = '{name}' }: ChangedCallback): Act {
  return async (browser, site) => {
    const back = await site.begin(browser)
    const [name, value] = flowOf(browser)
    const values = { ...Object.fromEntries(back.searchParams), name, cookie: value }
    for (const [parameter, changed] of Object.entries(query)) {
      back.searchParams.delete(parameter)
      for (const one of [changed ?? []].flat()) {
        back.searchParams.append(parameter, fill(one, values))
      }
    }
    browser.cookies.clear()
    if (cookie !== null) browser.cookies.set(fill(cookieName, values), fill(cookie, values))
    return comeBack(browser, back)
  }
}

/** The cookie in which the only login in progress is kept. */
function flowOf({ cookies }: Browser): readonly [string, string] {
  const [flow] = [...cookies].filter(([name]) => name.includes('svc_flow_'))
  if (flow === undefined) throw new Error('no login is in progress')
  return flow
}

/** The browser comes back with what belongs to the login of another browser. */
export const mixedUp: Readonly<Record<string, Act>> = {
  'with the callback of another browser': async (browser, site) => {
    const back = await site.begin(openBrowser(...site.urls))
    await site.begin(browser)
    return comeBack(browser, back)
  },
  'with the cookie of another login under this name': async (browser, site) => {
    const before = openBrowser(...site.urls)
    await site.begin(before)
    const back = await site.begin(browser)
    browser.cookies.set(flowOf(browser)[0], flowOf(before)[1])
    return comeBack(browser, back)
  },
  'with the cookies of another browser': async (browser, site) => {
    const before = openBrowser(...site.urls)
    await site.begin(before)
    const back = await site.begin(browser)
    browser.cookies.clear()
    browser.cookies.set(...flowOf(before))
    return comeBack(browser, back)
  },
  'when five others were begun since': async (browser, site) => {
    const back = await site.begin(browser)
    for (let i = 0; i < 5; i += 1) await site.begin(browser)
    return comeBack(browser, back)
  },
  'by POST': async (browser, site) => comeBack(browser, await site.begin(browser), 'POST'),
  'by PUT': async (browser, site) => comeBack(browser, await site.begin(browser), 'PUT'),
  'by DELETE': async (browser, site) => comeBack(browser, await site.begin(browser), 'DELETE'),
  'a second time, the first of which was refused': async (browser, site) => {
    const back = await site.begin(browser)
    const flow = flowOf(browser)
    const refused = new URL(back)
    refused.searchParams.set('error', 'access_denied')
    await comeBack(browser, refused)
    browser.cookies.set(...flow)
    return comeBack(browser, back)
  },
}

/** The code or the flow was used, or belongs to another login. */
export const used: Readonly<Record<string, Act>> = {
  'a second time': async (browser, site) => {
    const back = await site.begin(browser)
    const copy = openBrowser(...site.urls)
    copy.cookies.set(...flowOf(browser))
    await comeBack(browser, back)
    browser.cookies.clear()
    return comeBack(copy, back)
  },
  'with a code that was used': async (browser, site) => {
    const first = openBrowser(...site.urls)
    const back = await site.begin(first)
    await comeBack(first, back)
    return comeBack(browser, withCodeOf(await site.begin(browser), back))
  },
  'with the code of another login, whose verifier is another': async (browser, site) => {
    const stolen = await site.begin(openBrowser(...site.urls))
    return comeBack(browser, withCodeOf(await site.begin(browser), stolen))
  },
}

function withCodeOf(back: URL, other: URL): URL {
  back.searchParams.set('code', other.searchParams.get('code') ?? '')
  return back
}

/** Plays logins that must not come to anything, and counts them. */
export class Refusals {
  readonly #site: Site
  count = 0

  constructor(site: Site) {
    this.#site = site
  }

  /**
   * @param cases each of which gets a browser of its own
   * @param mayRedeem whether the provider may be asked for a token
   */
  async expect(
    t: Test,
    statuses: readonly number[],
    cases: Readonly<Record<string, Act>>,
    { mayRedeem = true } = {},
  ): Promise<void> {
    for (const [name, act] of Object.entries(cases)) {
      const browser = openBrowser(...this.#site.urls)
      const before = this.#site.redeemed()
      const answer = await act(browser, this.#site)
      this.count += 1
      const { status, text, headers, body } = answer
      const faults = {
        'a login comes of it': browser.cookies.has('svc_client_token') || status < 400,
        [`the status is ${status}`]: !statuses.includes(status),
        'a code was redeemed': !mayRedeem && this.#site.redeemed() > before,
        'the browser is sent on': headers.get('location') !== null,
        'the answer quotes': /evil|mallory|169\.254|code-\d|<html>/.test(text),
        'the words are others':
          status === 401 && JSON.stringify(body) !== JSON.stringify(unauthenticated),
      }
      t.strictSame(
        Object.keys(faults).filter((fault) => faults[fault]),
        [],
        `${name}: ${text}`,
      )
    }
  }
}
