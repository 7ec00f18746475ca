import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import type { Test } from './listen.ts'
import { findChromium } from './system-packages.ts'

/**
 * A browser to which every host below `.test` is this machine. Each context has cookies of its own, as
 * another person would, accepts certificates without an authority and, unless its options say otherwise, lets
 * tests run scripts on what is no page.
 */
export async function startChromium(
  t: Test,
): Promise<{ newContext(options?: BrowserContextOptions): Promise<BrowserContext> }> {
  const browser = await chromium.launch({
    executablePath: `/usr/bin/${findChromium()}`,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP *.test 127.0.0.1',
    ],
  })
  t.teardown(() => browser.close())
  return {
    async newContext(options = {}) {
      const context = await browser.newContext({
        ignoreHTTPSErrors: true,
        bypassCSP: true,
        ...options,
      })
      context.setDefaultTimeout(15_000)
      return context
    },
  }
}
