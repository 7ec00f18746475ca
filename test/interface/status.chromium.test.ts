import t from 'tap'
import { expectNoViolations } from './support/axe.ts'
import { apply, booleanFlag } from './support/content.ts'
import { startSite } from './support/site.ts'

t.test('the status', async (t) => {
  const site = await startSite(t, { gateways: 2 })

  await site.visit(t, 'is one sentence, and each gateway', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const revision = await apply(site.api, namespaceKey, booleanFlag('checkout'))
    await page.goto(`/status?ns=${namespaceKey}`)
    await page.getByRole('heading', { level: 1, name: 'Everything works' }).waitFor()
    const table = page.getByRole('region', { name: 'Gateways' }).getByRole('table')
    await table
      .getByRole('cell', { name: /has every change/ })
      .nth(1)
      .waitFor()
    t.equal(await table.getByRole('row').count(), 3, 'two gateways and the head')
    await page.getByText(String(revision), { exact: true }).first().waitFor()
    await page.getByText('On 2 of 2 gateways').waitFor()
    await expectNoViolations(t, page, 'status')
  })

  await site.visit(
    t,
    'is asked for by the page itself, and copied as text',
    { permissions: ['clipboard-read', 'clipboard-write'] },
    async (t, { page }) => {
      await page.goto('/status')
      await page.getByRole('heading', { level: 1, name: 'Everything works' }).waitFor()
      const again = await page.waitForRequest(/\/api\/v1\/gateways/)
      t.equal(await again.headerValue('x-svc-background'), 'true', 'it is no use of the session')
      await page.getByRole('button', { name: 'Copy for a report' }).click()
      await page.getByText('Copied', { exact: true }).first().waitFor()
      const text = await page.evaluate<string>('navigator.clipboard.readText()')
      t.match(text, /^Everything works\n/)
      t.match(text, /gateways: 2/)
    },
  )

  await site.visit(t, 'says when nothing answers', {}, async (t, { page }) => {
    await page.goto('/status')
    await page.getByRole('heading', { level: 1, name: 'Everything works' }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('heading', { level: 1, name: 'The server cannot be reached' }).waitFor()
    await expectNoViolations(t, page, 'nothing answers')
    await page.context().setOffline(false)
    await page.getByRole('heading', { level: 1, name: 'Everything works' }).waitFor()
    t.pass('and when it answers again')
  })

  await site.visit(t, 'does not say that what it cannot read works', {}, async (t, { page }) => {
    const error = { status: 500, json: { code: 13, message: 'internal error', details: [] } }
    const unknown = page.getByRole('heading', {
      level: 1,
      name: 'It is not known whether everything works',
    })
    await page.route('**/api/v1/gateways', (route) => route.fulfill(error))
    await page.goto('/status')
    await unknown.waitFor()
    await page.getByText('The gateways cannot be listed.').waitFor()
    await expectNoViolations(t, page, 'not known')
    await page.unroute('**/api/v1/gateways')
    await page.getByRole('heading', { level: 1, name: 'Everything works' }).waitFor()
    // As a proxy answers that does not pass it on.
    await page.route('**/readyz', (route) => route.fulfill({ status: 200, body: '<html>' }))
    await unknown.waitFor()
    await page.getByText('This gateway does not say how it is.').waitFor()
  })
})
