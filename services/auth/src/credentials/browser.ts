import type { CallContext } from '@svc/rpc'

// Metadata that gateways carry between a browser and this service without interpreting it.

/** The part of a call that concerns a browser. */
export type Browser = Pick<CallContext, 'addTrailer' | 'get'>

/** The cookies of logins in progress, by name. A name that comes twice is ignored. */
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

/** The client token of the present session of the browser. */
export function presentSession(browser: Browser): string | undefined {
  return browser.get('svc-session')
}

/** Whether a page is loaded, rather than a script waiting for JSON. */
export function wantsHtml(browser: Browser): boolean {
  return browser.get('svc-accepts') === 'html'
}

export function setCookie(browser: Browser, cookie: string): void {
  browser.addTrailer('svc-set-cookie', cookie)
}

/** Says where a login leads, which is needed when it fails. */
export function noteReturnTo(browser: Browser, path: string): void {
  browser.addTrailer('svc-return-to', path)
}

export function redirect(browser: Browser, location: string): void {
  browser.addTrailer('svc-location', location)
}
