import { waitFor } from '@svc/runtime/testing'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'

/** Level AA of WCAG 2.2, with all before it. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']

/** Before and after a layer: they pass the focus on and never have it, which axe-core cannot know. */
const focusGuards = '[data-base-ui-focus-guard]'

interface Found {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary?: string }[]
}

/**
 * What axe-core finds on a page, one line for each place. It runs in a world of its own: the page neither sees
 * it nor has to allow it.
 */
export async function findViolations(page: Page): Promise<readonly string[]> {
  await settled(page)
  const devtools = await page.context().newCDPSession(page)
  try {
    const { frameTree } = await devtools.send('Page.getFrameTree')
    const { executionContextId: contextId } = await devtools.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
      worldName: 'axe',
    })
    await devtools.send('Runtime.evaluate', { contextId, expression: axe.source })
    const run = `axe.run({ exclude: ['${focusGuards}'] }, ${JSON.stringify({
      runOnly: { type: 'tag', values: tags },
      resultTypes: ['violations'],
    })}).then(({ violations, passes }) => JSON.stringify({ violations, count: passes.length }))`
    const { result, exceptionDetails } = await devtools.send('Runtime.evaluate', {
      contextId,
      expression: run,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails !== undefined) {
      throw new Error(
        `axe-core: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`,
      )
    }
    const { violations, count } = JSON.parse(String(result.value)) as {
      readonly violations: readonly Found[]
      readonly count: number
    }
    if (count === 0) throw new Error('axe-core looked at nothing')
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(
        ({ target, failureSummary = '' }) =>
          `${id}: ${help}: ${JSON.stringify(target)} ${failureSummary.replaceAll(/\s+/g, ' ')}`,
      ),
    )
  } finally {
    await devtools.detach()
  }
}

export async function expectNoViolations(t: Test, page: Page, what = page.url()): Promise<void> {
  t.strictSame(await findViolations(page), [], `axe-core finds nothing: ${what}`)
}

/** Resolves when nothing of the page is still to come, and nothing moves. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1, [role=dialog]').first().waitFor()
  await untilTrue(
    page,
    `document.querySelector('[aria-busy=true]') === null && document.fonts.status === 'loaded' &&
      document.getAnimations().every(({ playState }) => playState !== 'running')`,
  )
}

/** Resolves when an expression is true in the page, which itself evaluates no texts. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await waitFor(() => page.evaluate<boolean>(expression))
}
