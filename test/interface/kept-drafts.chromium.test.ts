import type { Page } from 'playwright-core'
import t from 'tap'
import { createToken } from '../support/api.ts'
import { apply, booleanFlag, inGermany, segment } from './support/content.ts'
import { barOf, draftSegment } from './support/draft.ts'
import { signIn, startSite } from './support/site.ts'

t.test('a draft of the tab', async (t) => {
  const site = await startSite(t)
  const make = (namespaceKey: string) =>
    apply(site.api, namespaceKey, segment('germany', [inGermany, { ...inGermany, value: 'AT' }]))

  await site.visit(t, 'is of the person who made it', {}, async (t, visit) => {
    const { page, namespaceKey, secrets } = visit
    const path = visit.own('segments/germany')
    await make(namespaceKey)
    const { clientToken } = await createToken(site.api, { name: 'another' })
    secrets.add(clientToken)
    const signOut = async () => {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('button').last().click()
      const isLoaded = page.waitForEvent('load')
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await isLoaded
    }

    await draftSegment(page, path)
    await signOut()
    await signIn(page, site.token)
    await page.goto(path)
    await barOf(page).getByText('1 change').waitFor()

    await signOut()
    await signIn(page, clientToken)
    await page.goto(path)
    await page.getByRole('button', { name: 'any', exact: true }).waitFor()
    t.equal(await barOf(page).count(), 0, 'another begins without it')
    t.notOk(await page.evaluate(`Object.keys(sessionStorage).some((one) => /draft/.test(one))`))
  })

  await site.visit(t, 'comes back after it was discarded', {}, async (_t, visit) => {
    const { page, namespaceKey } = visit
    const path = visit.own('segments/germany')
    const menu = page.getByRole('navigation', { name: 'Main' })
    const bringBack = page.getByRole('button', { name: 'Undo', exact: true })
    const discard = async () => {
      await barOf(page).getByRole('button', { name: 'Discard' }).click()
      await barOf(page).waitFor({ state: 'hidden' })
      await menu.getByRole('link', { name: 'Segments' }).click()
      await page.waitForURL(`**${visit.own('segments')}`)
    }
    await make(namespaceKey)
    await draftSegment(page, path)
    await discard()
    await bringBack.click()
    await page.getByRole('link', { name: 'Germany' }).click()
    await barOf(page).getByText('1 change').waitFor()

    // Also where its page was opened anew before.
    await discard()
    await page.getByRole('link', { name: 'Germany' }).click()
    await page.getByRole('button', { name: 'any', exact: true }).waitFor()
    await bringBack.click()
    await barOf(page).getByText('1 change').waitFor()
    await page.reload()
    await barOf(page).getByText('1 change').waitFor()
  })

  await site.visit(t, 'is not lost with a flag that others delete', {}, async (_t, visit) => {
    const { page, namespaceKey } = visit
    const rollouts = [{ threshold: { percentage: 31, value: true } }]
    await apply(site.api, namespaceKey, booleanFlag('payments', { rollouts }))
    await page.goto(visit.own('flags/payments'))
    const share = page.getByRole('textbox', { name: /^Percentage of/ }).first()
    await share.waitFor()
    await fillStorage(page)
    await share.fill('45')
    await share.press('Tab')
    await barOf(page).getByText('Too large to be kept here. Save it before you leave.').waitFor()
    await apply(site.api, namespaceKey, { kind: 'FLAG_KIND', key: 'payments', delete: true })
    await page.getByText(/^Payments was deleted by others/).waitFor()
    await barOf(page).getByText('1 change').waitFor()
  })

  await site.visit(t, 'says when the browser has no room for it', {}, async (_t, visit) => {
    const { page, namespaceKey } = visit
    await make(namespaceKey)
    await page.goto(visit.own('segments/germany'))
    await page.getByRole('button', { name: 'any', exact: true }).waitFor()
    await fillStorage(page)
    await page.getByRole('button', { name: 'any', exact: true }).click()
    await barOf(page).getByText('Too large to be kept here. Save it before you leave.').waitFor()
    await page.evaluate('sessionStorage.clear()')
    await page.getByRole('button', { name: 'all', exact: true }).click()
    await barOf(page).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'any', exact: true }).click()
    await barOf(page).getByText('Too large to be kept here.').waitFor({ state: 'hidden' })
    await page.reload()
    await barOf(page).getByText('1 change').waitFor()
  })
})

/** What is left is less than a draft. */
async function fillStorage(page: Page): Promise<void> {
  await page.evaluate(`for (let size = 1 << 22; size > 0; size >>= 1)
    try { for (let n = 0; ; n++) sessionStorage.setItem('filler ' + size + n, 'x'.repeat(size)) } catch {}`)
}
