import t from 'tap'
import { apply, everything } from './support/content.ts'
import { startSite } from './support/site.ts'

t.test('a page of the build before', async (t) => {
  const site = await startSite(t)

  await site.visit(
    t,
    'loads itself anew, at the place that was asked for',
    {},
    async (t, visit) => {
      const { page, own, watched } = visit
      await apply(site.api, visit.namespaceKey, ...everything())
      await page.goto(own('flags'))
      await page.getByRole('link', { name: 'New checkout' }).waitFor()
      await page.getByText('Live', { exact: true }).waitFor()

      // The gateway now has files of other names, and a page that names them.
      let pages = 0
      const missing = new Set<string>()
      await page.route('**/*', async (route) => {
        const request = route.request()
        if (request.isNavigationRequest()) pages += 1
        const isGone = pages === 0 && request.url().includes('/assets/')
        if (!isGone) return route.fallback()
        missing.add(request.url())
        return route.fulfill({ status: 404, json: { code: 5, message: 'Not Found', details: [] } })
      })
      await page.getByRole('link', { name: /^Segments/ }).click()
      await page.getByRole('link', { name: 'Germany' }).waitFor()
      t.equal(new URL(page.url()).pathname, own('segments'))
      t.ok(missing.size > 0, 'a file was not there')
      t.equal(pages, 1, 'it was loaded once')
      const said = watched.take('console').map(({ text }) => text)
      // Chromium may say it before it loads the page.
      const expected = 'Failed to fetch dynamically imported module'
      t.strictSame(
        said.filter((text) => !text.includes(expected)),
        [],
      )
    },
  )
})
