import type { Page } from 'playwright-core'
import t from 'tap'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { startStack } from '../support/stack.ts'
import { apply, inGermany, segment } from './support/content.ts'
import { barOf, changesOf, draftSegment, review, reviewOf, saveButton } from './support/draft.ts'
import { startSite } from './support/site.ts'

t.test('a draft outlives the server', async (t) => {
  const stack = await startStack(t, { env: { SVC_AUTHENTICATION_SESSION_INSECURE: 'true' } })
  const proxy = await startFaultProxy(t, Number(new URL(stack.urls[0]).port))
  const site = await startSite(t, { stack, url: `http://${proxy.address}` })

  /** A segment with a draft. */
  const begin = async (page: Page, namespaceKey: string) => {
    proxy.set('none')
    await apply(
      site.api,
      namespaceKey,
      segment('germany', [inGermany, { ...inGermany, value: 'AT' }]),
    )
    await draftSegment(page, `/ns/${namespaceKey}/segments/germany`)
  }
  const changes = async (namespaceKey: string) =>
    (await changesOf(site.api, namespaceKey, 'SEGMENT_KIND', 'germany')).map(
      ({ comment }) => comment,
    )
  const matchType = async (namespaceKey: string) => {
    const path = `/api/v1/namespaces/${namespaceKey}/documents/segments/germany`
    return (await site.api('GET', path)).body as {
      readonly segment: { readonly matchType: string }
    }
  }

  /** The service gets what the page sends, and the page no answer. */
  const loseAnswers = async (page: Page, onDone = () => {}) => {
    const path = '**/documents/segments/germany'
    const sent: number[] = []
    await page.route(path, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue()
      // As the browser would have sent it.
      const headers = { ...(await route.request().allHeaders()), 'sec-fetch-site': 'same-origin' }
      sent.push((await route.fetch({ headers })).status())
      onDone()
      await route.abort('connectionreset')
    })
    return { sent, stop: () => page.unroute(path) }
  }

  await site.visit(t, 'a gateway that stops', {}, async (t, { page, namespaceKey }) => {
    await begin(page, namespaceKey)
    const dialog = await review(page)
    await dialog.getByLabel('Why').fill('after the storm')
    proxy.set('cut')
    // What the page asks by itself finds it out; a person who does not wait for that presses Save.
    await saveButton(dialog).click()
    await page.getByText('Can’t reach the server.').waitFor()
    await dialog.getByText(/it is not known yet whether it was saved|The draft is kept/).waitFor()
    proxy.set('none')
    await page.getByText('Can’t reach the server.').waitFor({ state: 'hidden' })
    await dialog.getByText('It was not saved. The draft is kept: save it again.').waitFor()
    t.strictSame(await changes(namespaceKey), [''], 'nothing was sent by itself')
    await dialog.getByRole('button', { name: /^Save to .* again/ }).click()
    await page.getByText('Saved Germany').waitFor()
    t.strictSame(await changes(namespaceKey), ['after the storm', ''])
    t.match(await matchType(namespaceKey), { segment: { matchType: 'ANY_MATCH_TYPE' } })
  })

  await site.visit(t, 'a draft without a dialog', {}, async (t, { page, namespaceKey }) => {
    await begin(page, namespaceKey)
    await page.getByText('Live', { exact: true }).waitFor()
    proxy.set('cut')
    await page.getByText('Can’t reach the server.').waitFor()
    const save = barOf(page).getByRole('button', { name: 'Review and save' })
    t.equal(await save.getAttribute('aria-disabled'), 'true')
    await barOf(page).getByText('The server cannot be reached. The draft is kept.').waitFor()
    await page.getByRole('button', { name: 'Try now' }).click()
    proxy.set('none')
    await page.getByText('Can’t reach the server.').waitFor({ state: 'hidden' })
    await page.reload()
    await barOf(page).getByText('1 change').waitFor()
    await saveButton(await review(page)).click()
    await page.getByText('Saved Germany').waitFor()
    await barOf(page).waitFor({ state: 'hidden' })
  })

  await site.visit(t, 'an answer that is lost', {}, async (t, { page, namespaceKey }) => {
    await begin(page, namespaceKey)
    const { sent } = await loseAnswers(page)
    const dialog = await review(page)
    await dialog.getByLabel('Why').fill('only once')
    await saveButton(dialog).click()
    await page.getByText(/Only the answer was lost/).waitFor()
    await dialog.waitFor({ state: 'hidden' })
    await barOf(page).waitFor({ state: 'hidden' })
    t.strictSame(sent, [200], 'it was sent once')
    t.strictSame(await changes(namespaceKey), ['only once', ''])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Taken back').waitFor()
    t.match(await matchType(namespaceKey), { segment: { matchType: 'ALL_MATCH_TYPE' } })
  })

  await site.visit(
    t,
    'an answer that is lost, and a page that is loaded anew',
    {},
    async (t, { page, namespaceKey }) => {
      await begin(page, namespaceKey)
      const lost = await loseAnswers(page, () => proxy.set('cut'))
      await saveButton(await review(page)).click()
      await page.getByText('Can’t reach the server.').waitFor()
      await lost.stop()
      proxy.set('none')
      await page.goto(`/ns/${namespaceKey}/segments/germany`)
      await barOf(page).getByText('1 change').waitFor()
      await barOf(page).getByRole('button', { name: 'Review and save' }).click()
      await page.getByText(/Only the answer was lost/).waitFor()
      await barOf(page).waitFor({ state: 'hidden' })
      t.equal((await changes(namespaceKey)).length, 2)
    },
  )

  await site.visit(t, 'a session that ends', {}, async (t, visit) => {
    const { page, namespaceKey, context, secrets } = visit
    await begin(page, namespaceKey)
    const dialog = await review(page)
    await context.clearCookies()
    await saveButton(dialog).click()
    const ended = page.getByRole('dialog', { name: 'Your session has ended' })
    await ended.waitFor()
    secrets.add(site.token)
    await ended.getByLabel('Token', { exact: true }).fill(site.token)
    await ended.getByRole('button', { name: 'Sign in' }).click()
    await ended.waitFor({ state: 'hidden' })
    t.equal(new URL(page.url()).pathname, `/ns/${namespaceKey}/segments/germany`, 'the same place')
    await reviewOf(page).getByText('It was not saved: your session has ended.').waitFor()
    t.equal((await changes(namespaceKey)).length, 1)
    await saveButton(reviewOf(page)).click()
    await page.getByText('Saved Germany').waitFor()
    t.equal((await changes(namespaceKey)).length, 2)
  })
})
