import type { CallContext } from '@svc/rpc'

// What gateways carry between a browser and this service. They know neither what it means nor
// whether it is good.

/** The part of a call that concerns a browser. */
export type Browser = Pick<CallContext, 'addTrailer' | 'get'>

/** The cookies of logins under way, by name; where one came twice, it counts for nothing. */
export function loginCookies(browser: Browser): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>()
  const twice = new Set<string>()
  for (const pair of (browser.get('svc-cookies') ?? '').split('; ')) {
    const end = pair.indexOf('=')
    const name = pair.slice(0, Math.max(end, 0))
    if (cookies.has(name)) twice.add(name)
    if (name !== '') cookies.set(name, pair.slice(end + 1))
  }
  for (const name of twice) cookies.delete(name)
  return cookies
}

/** The client token of the session that the browser has already. */
export function presentSession(browser: Browser): string | undefined {
  return browser.get('svc-session')
}

/** Whether a person is looking, rather than a script. */
export function wantsHtml(browser: Browser): boolean {
  return browser.get('svc-accepts') === 'html'
}

export function setCookie(browser: Browser, cookie: string): void {
  browser.addTrailer('svc-set-cookie', cookie)
}

export function sendTo(browser: Browser, location: string): void {
  browser.addTrailer('svc-location', location)
}
