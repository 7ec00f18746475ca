import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import type { Page, Request } from 'playwright-core'
import t from 'tap'
import { expectNoViolations } from './support/axe.ts'
import { apply, booleanFlag } from './support/content.ts'
import { hasFocus } from './support/keyboard.ts'
import { startSite } from './support/site.ts'

t.test('a page that is open', async (t) => {
  const site = await startSite(t)

  await site.visit(t, 'goes on where it was after the session has ended', {}, async (t, visit) => {
    const { page, context, namespaceKey } = visit
    await page.goto(visit.own('flags?new=boolean'))
    const form = page.getByRole('dialog', { name: /^New flag in/ })
    await form.getByLabel('Name', { exact: true }).fill('New checkout')
    await form.getByText('Free.').waitFor()
    await context.clearCookies()
    await form.getByRole('button', { name: 'Create flag' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    const token = dialog.getByLabel('Token', { exact: true })
    await token.waitFor()
    t.ok(await hasFocus(token), 'the field has the focus')
    await expectNoViolations(t, page, 'the dialog')
    await token.fill(site.token)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor({ state: 'detached' })
    t.equal(
      new URL(page.url()).pathname + new URL(page.url()).search,
      visit.own('flags?new=boolean'),
    )
    t.equal(await form.getByLabel('Name', { exact: true }).inputValue(), 'New checkout')
    await form.getByRole('button', { name: 'Create flag' }).click()
    await page.getByText(`New checkout is created in ${namespaceKey}`).waitFor()
  })

  await site.visit(t, 'says that the session has ended for as long', {}, async (t, visit) => {
    const { page, context, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('payments'))
    await page.goto(visit.own('flags'))
    const toggle = page.getByRole('row', { name: /Payments/ }).getByRole('switch')
    await toggle.waitFor()
    await context.clearCookies()
    await toggle.click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByRole('button', { name: 'Look at the page' }).click()
    await dialog.waitFor({ state: 'detached' })
    const again = page.getByRole('main').getByRole('button', { name: 'Sign in again' })
    await again.waitFor()
    await expectNoViolations(t, page, 'with the dialog closed')
    await again.click()
    await dialog.getByLabel('Token', { exact: true }).fill(site.token)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor({ state: 'detached' })
    await again.waitFor({ state: 'detached' })
    await toggle.click()
    await page.getByText(`Payments is on in ${namespaceKey}`).waitFor()
    await context.clearCookies()
    await toggle.click()
    await t.resolves(dialog.waitFor(), 'the next end is said as well')
  })

  await site.visit(
    t,
    'says that the server is unreachable, and comes back by itself',
    {},
    async (t, visit) => {
      const { page, context, namespaceKey } = visit
      await apply(site.api, namespaceKey, booleanFlag('payments'))
      await page.goto(visit.own('flags'))
      const toggle = page.getByRole('row', { name: /Payments/ }).getByRole('switch')
      await page.getByRole('button', { name: 'Live', exact: true }).waitFor()
      await context.setOffline(true)
      await toggle.click()
      await page.getByText(/Can’t reach the server\. This is how it was at/).waitFor()
      t.equal(await toggle.getAttribute('aria-checked'), 'false', 'the switch is back')
      t.equal(await toggle.getAttribute('aria-disabled'), 'true')
      t.equal(
        await page.getByRole('button', { name: 'New flag' }).getAttribute('aria-disabled'),
        'true',
      )
      await expectNoViolations(t, page, 'offline')
      await context.setOffline(false)
      await page.getByText(/Can’t reach the server\. This is how/).waitFor({ state: 'detached' })
      t.equal(await toggle.getAttribute('aria-disabled'), null)
      const { body } = await site.api('GET', `/api/v1/namespaces/${namespaceKey}/flags/payments`)
      t.match(body, { enabled: false }, 'what failed is not sent again by itself')
      await toggle.click()
      await page.getByText(`Payments is on in ${namespaceKey}`).waitFor()
    },
  )

  const unreachable = /Can’t reach the server/

  await site.visit(t, 'is not without a server for want of a stream', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('payments'))
    let streams = 0
    const looks: Request[] = []
    page.on('request', (request) => {
      if (/\/namespaces\?(.*&)?limit=1$/.test(request.url())) looks.push(request)
    })
    await page.route('**/events', (route) => {
      streams++
      return route.fulfill({ status: 503, headers: { 'retry-after': '1' } })
    })
    await page.goto(visit.own('flags'))
    const toggle = page.getByRole('row', { name: /Payments/ }).getByRole('switch')
    await toggle.waitFor()
    await waitFor(() => streams > 1)
    await sleep(300)
    t.equal(await page.getByText(unreachable).count(), 0)
    t.equal(await toggle.getAttribute('aria-disabled'), null)
    t.equal(looks.length, 0, 'the server is not looked for')
  })

  await site.visit(t, 'asks a gateway that sheds load less and less', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('payments'))
    await page.goto(visit.own('flags'))
    await page.getByRole('button', { name: 'Live', exact: true }).waitFor()
    const refused: number[] = []
    let others = 0
    page.on('request', (request) => {
      if (/\/api\/v1\//.test(request.url())) others++
    })
    const path = `**/api/v1/namespaces/${namespaceKey}/flags?**`
    await page.route(path, (route) => {
      refused.push(performance.now())
      return route.fulfill({ status: 503, headers: { 'retry-after': '1' } })
    })
    await page.reload()
    await sleep(12_000)
    const began = refused[0] ?? 0
    const said = refused.map((at) => Math.round(at - began)).join(', ')
    t.comment(`refused after ${said} ms; ${others} requests in all`)
    const pauses = refused.slice(1).map((at, place) => at - (refused[place] ?? 0))
    t.equal(refused.length >= 2 && refused.length <= 5, true, said)
    t.equal(Math.min(...pauses) >= 700, true, 'none in the same instant')
    await setHidden(page, true)
    // What is under way ends.
    await sleep(500)
    const asked = others
    await sleep(9500)
    t.equal(others - asked, 0, 'nothing is asked that is not seen')
    await page.unroute(path)
    await setHidden(page, false)
    await page.getByRole('row', { name: /Payments/ }).waitFor()
    await page.getByText(unreachable).waitFor({ state: 'detached' })
  })
})

/** As when another tab is before it. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`{
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} })
    document.dispatchEvent(new Event('visibilitychange'))
  }`)
}
