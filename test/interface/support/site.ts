import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { startChromium } from '../../support/chromium.ts'
import type { Request } from '../../support/http.ts'
import { type Stack, type StackOptions, startStack } from '../../support/stack.ts'
import { expectNoSecrets } from './secrets.ts'
import { type Watched, watch } from './watch.ts'

/** Where pictures of pages are kept whose test failed. */
const pictures = join('.tap', 'interface')

/** The interface, served by a whole stack, and a browser in front of it. */
export interface Site {
  readonly url: string
  /** Past whatever stands before it. */
  readonly gatewayUrl: string
  /** A token that may do everything. */
  readonly token: string
  readonly stack: Pick<Stack, 'closeGateways' | 'createNamespacedToken' | 'databaseUrl'>
  /** Calls the API with the token. */
  readonly api: Request
  /**
   * A test with a browser profile and a namespace of its own. At its end it fails when a page broke the policy
   * of its content, threw, opened a dialog, asked another host, or kept a secret.
   */
  visit(t: Test, name: string, options: VisitOptions, run: VisitTest): Promise<unknown>
}

export interface VisitOptions extends BrowserContextOptions {
  /** Whether the session is there from the beginning. @default true */
  readonly isSignedIn?: boolean
  /** Whether there is a namespace of its own; without one `namespaceKey` is `default`. @default true */
  readonly hasNamespace?: boolean
  /** Origins besides that of the service that pages may ask. */
  readonly otherOrigins?: readonly string[]
  /** Further fields of the namespace, such as `confirm`. */
  readonly namespace?: Readonly<Record<string, unknown>>
}

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  readonly namespaceKey: string
  readonly watched: Watched
  /** What must be in no storage and no address. The token is in it already. */
  readonly secrets: Set<string>
  /** `/ns/<own namespace>/<rest>` */
  own(rest: string): string
  /** Another page of the same profile, watched as the first. */
  newPage(): Promise<Page>
}

export type VisitTest = (t: Test, visit: Visit) => Promise<void>

export interface SiteOptions extends StackOptions {
  /** Where the browser reaches the service. @default the first gateway */
  readonly url?: string
  /** Instead of a stack in this process. */
  readonly stack?: Stack
}

/** For a file of tests: one stack and one browser. */
export async function startSite(t: Test, options: SiteOptions = {}): Promise<Site> {
  // Plain http unless there is a site before it.
  const insecure = options.url === undefined && { SVC_AUTHENTICATION_SESSION_INSECURE: 'true' }
  const env = { ...insecure, ...options.env }
  const stack = options.stack ?? (await startStack(t, { ...options, env }))
  const chromium = await startChromium(t)
  const url = options.url ?? stack.urls[0]
  const { token, api } = stack

  async function visit(t: Test, name: string, options: VisitOptions, run: VisitTest) {
    const {
      isSignedIn = true,
      hasNamespace = true,
      otherOrigins = [],
      namespace,
      ...rest
    } = options
    return t.test(name, async (t) => {
      const context = await chromium.newContext({
        baseURL: url,
        bypassCSP: false,
        reducedMotion: 'reduce',
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
        viewport: { width: 1440, height: 900 },
        ...rest,
      })
      const secrets = new Set([token])
      const watched = await watch(context, {
        service: new URL(url).origin,
        otherOrigins,
        secrets,
      })
      try {
        const namespaceKey = hasNamespace ? await createNamespace(api, name, namespace) : 'default'
        if (isSignedIn) await signInQuickly(context, url, stack)
        const page = await context.newPage()
        await run(t, {
          page,
          context,
          namespaceKey,
          watched,
          secrets,
          own: (rest) => `/ns/${namespaceKey}/${rest}`,
          newPage: () => context.newPage(),
        })
        for (const one of context.pages()) await expectNoSecrets(t, one, secrets)
        t.strictSame(watched.complaints, [], 'nothing to complain of')
      } catch (error) {
        await photograph(context, name)
        throw error
      } finally {
        await context.close()
      }
    })
  }
  return { url, gatewayUrl: stack.urls[0], token, api, stack, visit }
}

/** Through the form, as people do. Resolves when the page that follows is there. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token', { exact: true }).fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => !url.pathname.endsWith('/login'))
}

/** The same exchange without the form. */
async function signInQuickly(
  context: BrowserContext,
  url: string,
  { api, token }: Pick<Stack, 'api' | 'token'>,
): Promise<void> {
  const { status, headers, text } = await api('POST', '/auth/v1/session', { token })
  const [, value] = /^svc_client_token=([^;]+)/.exec(headers.getSetCookie()[0] ?? '') ?? []
  if (value === undefined) throw new Error(`the session did not begin: ${status} ${text}`)
  await context.addCookies([
    { name: 'svc_client_token', value, url, httpOnly: true, sameSite: 'Strict' },
  ])
}

/** A namespace whose key begins with the words of the test. */
async function createNamespace(
  api: Request,
  test: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const words = test.toLowerCase().match(/[a-z]+/g) ?? []
  const key = [...words.slice(0, 3), randomBytes(3).toString('hex')].join('-')
  const { status, text } = await api('POST', '/api/v1/namespaces', { key, name: key, ...more })
  if (status !== 200) throw new Error(`the namespace was not made: ${text}`)
  return key
}

async function photograph(context: BrowserContext, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true })
  const file = join(pictures, name.replaceAll(/\W+/g, '-'))
  for (const [place, page] of context.pages().entries()) {
    await page.screenshot({ path: `${file}-${place}.png`, timeout: 5000 }).catch(() => {})
  }
}
