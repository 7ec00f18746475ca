import type { Browser } from '../../credentials/browser.ts'

/** What a browser keeps of the cookies that it is sent, and all that it received. */
export interface TestBrowser {
  readonly cookies: Map<string, string>
  /** Each `Set-Cookie`. */
  readonly sent: string[]
  readonly locations: string[]
  /** One request with its cookies. */
  call(more?: Readonly<Record<string, string>>): Browser
}

export function openBrowser(kept: ReadonlyMap<string, string> = new Map()): TestBrowser {
  const cookies = new Map(kept)
  const sent: string[] = []
  const locations: string[] = []
  const keep = (text: string) => {
    sent.push(text)
    const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(text) ?? []
    if (/; Max-Age=0(;|$)/.test(text)) cookies.delete(name)
    else cookies.set(name, value)
  }
  return {
    cookies,
    sent,
    locations,
    call(more = {}) {
      const present = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const metadata: Readonly<Record<string, string>> = { 'svc-cookies': present, ...more }
      return {
        get: (name) => metadata[name],
        addTrailer(name, value) {
          if (name === 'svc-set-cookie') keep(value)
          else locations.push(value)
        },
      }
    },
  }
}
