import t from 'tap'
import { expectNoViolations, settled } from './support/axe.ts'
import { apply, everything } from './support/content.ts'
import { routesOf } from './support/routes.ts'
import { startSite } from './support/site.ts'

// Both themes, and what is empty, failed or a dialog: test/nightly/interface.
t.test('every page', async (t) => {
  const site = await startSite(t)

  await site.visit(t, 'has no barriers that axe-core finds', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, ...everything())
    for (const route of routesOf(namespaceKey)) {
      await page.goto(route)
      await settled(page)
      await expectNoViolations(t, page, route)
    }
  })
})
