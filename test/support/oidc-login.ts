import type { Browser } from './browser.ts'
import type { Answer } from './http.ts'
import { type OidcProvider, oidcClient } from './oidc-provider.ts'

/** What has a service let people log in at providers, by the names that they have there. */
export function oidcEnv(
  publicUrl: string,
  providers: Readonly<Record<string, Pick<OidcProvider, 'issuer'>>>,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const section = 'SVC_AUTHENTICATION_METHODS_OIDC'
  const each = Object.entries(providers).flatMap(([name, { issuer }]) => {
    const settings = {
      ISSUER_URL: issuer,
      CLIENT_ID: oidcClient.id,
      CLIENT_SECRET: oidcClient.secret,
      ALLOW_INSECURE: 'true',
      ...more,
    }
    const prefix = `${section}_PROVIDERS_${name.toUpperCase()}_`
    return Object.entries(settings).map(([key, value]) => [prefix + key, value])
  })
  return {
    SVC_SERVER_PUBLIC_URL: publicUrl,
    [`${section}_ENABLED`]: 'true',
    ...Object.fromEntries(each),
  }
}

/** Begins a login. @returns where the provider is to be visited */
export async function beginLogin(browser: Browser, provider: string, returnTo = ''): Promise<URL> {
  const path = `/auth/v1/method/oidc/${provider}/authorize?state=${encodeURIComponent(returnTo)}`
  const { body, status, text } = await browser.send('GET', path)
  if (status !== 200) throw new Error(`the login did not begin: ${text}`)
  return new URL((body as { authorizeUrl: string }).authorizeUrl)
}

/** Goes on with a login that the provider has sent the browser back from. */
export function endLogin(browser: Browser, back: URL): Promise<Answer> {
  return browser.comeBack(back.pathname + back.search)
}

/** What a person's browser keeps for a provider. */
export type Jar = Map<string, string>

/**
 * Visits a provider as a person, from one redirect to the next.
 *
 * @returns where it sends the browser back to
 */
export async function visit(url: URL, person: string, jar: Jar = new Map()): Promise<URL> {
  let next = new URL(url)
  next.searchParams.set('login_hint', person)
  for (let hop = 0; hop < 10; hop += 1) {
    const answer = await request(next, jar)
    const location = answer.headers.get('location')
    await answer.body?.cancel()
    if (location === null) throw new Error(`the provider answered ${answer.status}`)
    next = new URL(location, next)
    if (next.origin !== url.origin) return next
  }
  throw new Error('the provider sends the browser round in circles')
}

/** Logs a person out at the provider, who confirms it there. */
export async function logOutThere(endSession: URL, jar: Jar): Promise<void> {
  const page = await request(endSession, jar)
  const xsrf = /name="xsrf" value="([^"]*)"/.exec(await page.text())?.[1] ?? ''
  const action = new URL('/session/end/confirm', endSession)
  const answer = await request(action, jar, new URLSearchParams({ xsrf, logout: 'yes' }))
  await answer.body?.cancel()
}

async function request(url: URL, jar: Jar, form?: URLSearchParams): Promise<Response> {
  const answer = await fetch(url, {
    redirect: 'manual',
    headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    ...(form === undefined ? {} : { method: 'POST', body: form }),
  })
  for (const text of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(text) ?? []
    if (value === '') jar.delete(name)
    else jar.set(name, value)
  }
  return answer
}

/** The whole of a login. @returns how it ended */
export async function logInAt(
  browser: Browser,
  provider: string,
  person: string,
  { returnTo = '', jar }: { returnTo?: string; jar?: Jar } = {},
): Promise<Answer> {
  return endLogin(browser, await visit(await beginLogin(browser, provider, returnTo), person, jar))
}
