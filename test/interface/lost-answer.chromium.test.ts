import type { Page } from 'playwright-core'
import t from 'tap'
import { apply, booleanFlag } from './support/content.ts'
import { startSite } from './support/site.ts'
import { percent, readFlag, saidOf } from './support/targeting.ts'
import { undo } from './support/toasts.ts'

/** A write that the page sends, and what comes of it. */
interface Lost {
  /** Statuses of the writes that the service got. */
  readonly sent: number[]
  readonly stop: () => Promise<void>
}

/** @param reaches whether the service gets the write; the page gets no answer either way */
async function loseAnswers(page: Page, path: string, reaches = true): Promise<Lost> {
  const sent: number[] = []
  await page.route(path, async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    if (reaches) {
      // As the browser would have sent it.
      const headers = { ...(await route.request().allHeaders()), 'sec-fetch-site': 'same-origin' }
      sent.push((await route.fetch({ headers })).status())
    }
    await route.abort('connectionreset')
  })
  return { sent, stop: () => page.unroute(path) }
}

t.test('an answer that is lost', async (t) => {
  const site = await startSite(t)
  const rollouts = [percent(31)]

  await site.visit(t, 'to the switch of a list', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('payments'), booleanFlag('search'))
    await page.goto(visit.own('flags'))
    const toggle = page.getByRole('switch', { name: /^Payments/ })
    await toggle.waitFor()
    const done = await loseAnswers(page, '**/apply')
    await toggle.click()
    await page.getByText('Payments is on in').waitFor()
    t.equal(await toggle.getAttribute('aria-checked'), 'true')
    t.strictSame(done.sent, [200], 'it was sent once')
    t.ok((await readFlag(site.api, namespaceKey, 'payments')).enabled)
    await done.stop()

    const never = await loseAnswers(page, '**/apply', false)
    const other = page.getByRole('switch', { name: /^Search/ })
    await other.click()
    await page.getByText('Search has not changed so far').waitFor()
    t.equal(await other.getAttribute('aria-checked'), 'false')
    t.notOk((await readFlag(site.api, namespaceKey, 'search')).enabled)
    await never.stop()
  })

  await site.visit(t, 'to a switch that is turned again meanwhile', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('payments'))
    await page.goto(visit.own('flags'))
    const toggle = page.getByRole('switch', { name: /^Payments/ })
    await toggle.waitFor()
    const lost = await loseAnswers(page, '**/apply', false)
    const { promise: isTurned, resolve: turned } = Promise.withResolvers<void>()
    await page.route('**/documents/flags/payments*', async (route) => {
      await isTurned
      await route.continue()
    })
    await toggle.click()
    const unknown = page.getByText('It is not known yet whether')
    await unknown.waitFor()
    await lost.stop()
    await toggle.click()
    const said = page.getByText('Payments is on in')
    await said.waitFor()
    turned()
    await unknown.waitFor({ state: 'detached' })
    t.equal(await said.count(), 1, 'it is said once')
  })

  await site.visit(t, 'to the head of a flag, and to Undo', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('payments', { rollouts }))
    await page.goto(visit.own('flags/payments'))
    await page.getByRole('button', { name: 'More for Payments' }).click()
    const done = await loseAnswers(page, '**/apply')
    await page.getByRole('menuitem', { name: 'Stop: everyone gets Off' }).click()
    await page.getByText('is stopped in').waitFor()
    await page.getByText('Off for everyone').waitFor()
    t.strictSame(done.sent, [200], 'it was sent once')
    await done.stop()

    // One that is answered can be taken back, though that answer is lost.
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('On for 31%', { exact: true }).waitFor()
    const undone = await loseAnswers(page, '**/undo')
    await undo(page, 'is stopped in')
    await page.getByText('Taken back').waitFor()
    await page.getByText('Off for everyone').waitFor()
    t.strictSame(undone.sent, [200], 'it was sent once')
    const stored = await readFlag(site.api, namespaceKey, 'payments')
    t.strictSame(saidOf(stored), ['100% Off', '31% On'])
    await undone.stop()

    const never = await loseAnswers(page, '**/apply', false)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Payments has not changed so far').waitFor()
    t.strictSame(saidOf(await readFlag(site.api, namespaceKey, 'payments')), saidOf(stored))
    await never.stop()
  })
})
