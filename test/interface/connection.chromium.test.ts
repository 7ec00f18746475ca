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
})
