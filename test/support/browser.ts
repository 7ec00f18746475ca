import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, call } from './http.ts'

/** The part of a browser that logins need: it keeps cookies. It goes nowhere by itself. */
export interface Browser {
  /** By name; those of one host and the path `/`. */
  readonly cookies: Map<string, string>
  /** Sends a request with the cookies, and keeps those that come back. */
  send(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answer>
  /** Navigates there from a page of another site: without the cookies that are `SameSite=Strict`. */
  comeBack(path: string): Promise<Answer>
}

type Headers = Readonly<Record<string, string>>

/** @param url of a gateway, or several, of which each request goes to the next */
export function openBrowser(...urls: readonly [string, ...string[]]): Browser {
  const cookies = new Map<string, string>()
  const strict = new Set<string>()
  let count = 0
  async function send(
    sent: readonly (readonly [string, string])[],
    ...[method, path, body, headers = {}]: Parameters<Browser['send']>
  ): Promise<Answer> {
    const cookie = sent.map(([name, value]) => `${name}=${value}`).join('; ')
    const url = urls[count % urls.length] ?? urls[0]
    count += 1
    const all = { ...(cookie === '' ? {} : { cookie }), ...headers }
    const answer = await retrying(() => call(url, method, path, body, all))
    for (const text of answer.headers.getSetCookie()) keep(cookies, strict, text)
    return answer
  }
  return {
    cookies,
    send: (...request) => send([...cookies], ...request),
    comeBack(path) {
      const lax = [...cookies].filter(([name]) => !strict.has(name))
      return send(lax, 'GET', path)
    },
  }
}

/** Only so many logins are let in at once, and a test has more of them than people would. */
async function retrying(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask()
    if (answer.status !== 429 || tries === 50) return answer
    await sleep(100)
  }
}

function keep(cookies: Map<string, string>, strict: Set<string>, text: string): void {
  const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(text) ?? []
  if (/; Max-Age=0(;|$)/i.test(text)) cookies.delete(name)
  else cookies.set(name, value)
  if (/; SameSite=Strict(;|$)/i.test(text)) strict.add(name)
}
