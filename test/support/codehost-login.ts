import type { Browser } from './browser.ts'
import { codehostClient, type FakeCodehost } from './codehost.ts'
import type { Answer } from './http.ts'

const authorizePath = '/auth/v1/method/codehost/authorize'
export const callbackPath = '/auth/v1/method/codehost/callback'

/** Where browsers reach the service, as it is set. */
export const publicUrl = 'https://flags.example.com'

/** What has a service let people log in there. */
export function codehostEnv(
  { apiUrl, serverUrl }: Pick<FakeCodehost, 'apiUrl' | 'serverUrl'>,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const settings = {
    ENABLED: 'true',
    SERVER_URL: serverUrl,
    API_URL: apiUrl,
    CLIENT_ID: codehostClient.id,
    CLIENT_SECRET: codehostClient.secret,
    SCOPES: 'read:user user:email read:org',
    ALLOW_INSECURE: 'true',
    ...more,
  }
  const prefix = 'SVC_AUTHENTICATION_METHODS_CODEHOST_'
  return {
    SVC_SERVER_PUBLIC_URL: publicUrl,
    ...Object.fromEntries(Object.entries(settings).map(([key, value]) => [prefix + key, value])),
  }
}

/** Begins a login. @returns where the code host sends the browser back to, as a path with query */
export async function goThere(browser: Browser, returnTo = ''): Promise<string> {
  const path = `${authorizePath}?state=${encodeURIComponent(returnTo)}`
  const { body } = await browser.send('GET', path)
  const there = await fetch((body as { authorizeUrl: string }).authorizeUrl, { redirect: 'manual' })
  await there.body?.cancel()
  const back = new URL(there.headers.get('location') ?? '')
  if (back.origin !== publicUrl) throw new Error(`was sent to ${back.origin}`)
  return back.pathname + back.search
}

/** The whole of a login. @returns how it ended */
export async function logIn(browser: Browser, returnTo?: string): Promise<Answer> {
  return browser.comeBack(await goThere(browser, returnTo))
}
