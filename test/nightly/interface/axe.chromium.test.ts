import type { Page } from 'playwright-core'
import t from 'tap'
import { findViolations, settled } from '../../interface/support/axe.ts'
import { apply, everything } from '../../interface/support/content.ts'
import { routesOf } from '../../interface/support/routes.ts'
import { startSite } from '../../interface/support/site.ts'

/** What opens a layer, on a page. */
const layers: readonly (readonly [string, (page: Page) => Promise<void>])[] = [
  ['flags', (page) => page.keyboard.press('Control+k')],
  ['flags', (page) => page.keyboard.press('?')],
  ['flags', (page) => page.getByRole('combobox', { name: /^Namespaces/ }).click()],
  ['flags', (page) => page.getByRole('button', { name: 'More for New checkout' }).click()],
  ['flags', (page) => page.getByRole('button', { name: /^View/ }).click()],
  ['flags', (page) => page.getByRole('combobox', { name: 'Tag', exact: true }).click()],
  [
    'flags',
    (page) => page.getByRole('navigation', { name: 'Main' }).getByRole('button').last().click(),
  ],
  ['flags?new=boolean', async () => {}],
  ['flags?new=variant', async () => {}],
  ['segments?new', async () => {}],
  ['flags/theme/variants?new', async () => {}],
  ['flags/theme/variants?variant=blue', async () => {}],
  ['flags/theme', (page) => page.getByRole('combobox', { name: 'Rule', exact: true }).click()],
  ['flags/theme', (page) => page.getByRole('button', { name: 'More for Theme' }).click()],
  [
    'flags/new-checkout',
    async (page) => {
      await page.getByRole('button', { name: 'Percentage rollout' }).click()
      await page.getByRole('button', { name: 'Review and save' }).click()
    },
  ],
  [
    'flags/new-checkout',
    (page) => page.getByRole('button', { name: 'A share of a segment' }).click(),
  ],
  ['/tokens?new', async () => {}],
  [
    '/tokens',
    (page) =>
      page
        .getByRole('button', { name: /^More for/ })
        .first()
        .click(),
  ],
]

/** A link that a menu covers in part for a while is smaller, until the menu is closed. */
const isInSight = (violation: string) => !/^target-size: .* partially obscured/.test(violation)

const isLayer = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]'

/** What the service would say if something went wrong in it. */
const failure = {
  status: 500,
  contentType: 'application/json',
  body: JSON.stringify({ code: 13, message: 'internal error', details: [] }),
}

t.test('axe-core finds nothing', async (t) => {
  const site = await startSite(t)

  for (const colorScheme of ['light', 'dark'] as const) {
    await site.visit(
      t,
      `filled, ${colorScheme}`,
      { colorScheme },
      async (t, { page, namespaceKey }) => {
        await apply(site.api, namespaceKey, ...everything())
        for (const route of routesOf(namespaceKey)) {
          await page.goto(route)
          await settled(page)
          t.strictSame(await findViolations(page), [], route)
        }
      },
    )

    await site.visit(t, `empty, ${colorScheme}`, { colorScheme }, async (t, { page, own }) => {
      const pages = [
        'flags',
        'flags?q=nothing',
        'segments',
        'segments?q=nothing',
        'console',
        'changes',
      ]
      const missing = ['flags/none', 'flags/none/history', 'segments/none']
      for (const route of [...pages, ...missing].map(own)) {
        await page.goto(route)
        await settled(page)
        t.strictSame(await findViolations(page), [], route)
      }
      for (const route of [
        '/tokens?q=nothing',
        '/audit?since=2000-01-01&until=2000-01-02',
        '/welcome',
      ]) {
        await page.goto(route)
        await settled(page)
        t.strictSame(await findViolations(page), [], route)
      }
    })

    await site.visit(
      t,
      `failed, ${colorScheme}`,
      { colorScheme },
      async (t, { page, namespaceKey }) => {
        await apply(site.api, namespaceKey, ...everything())
        await page.route(/\/(api|auth|evaluate|internal|meta)\//, (route) => {
          const { pathname } = new URL(route.request().url())
          const isFrame = pathname === '/auth/v1/session' || pathname === '/api/v1/namespaces'
          return isFrame ? route.continue() : route.fulfill(failure)
        })
        for (const route of routesOf(namespaceKey)) {
          await page.goto(route)
          await settled(page)
          t.strictSame(await findViolations(page), [], route)
        }
      },
    )

    for (const width of [1440, 390]) {
      const options = { colorScheme, viewport: { width, height: 900 } }
      await site.visit(
        t,
        `layers, ${colorScheme}, ${width}`,
        options,
        async (t, { page, own, namespaceKey }) => {
          await apply(site.api, namespaceKey, ...everything())
          for (const [place, [route, open]] of layers.entries()) {
            // What opens a menu of the side bar is in a drawer on narrow screens.
            if (width < 768 && /Namespaces|navigation|\?'/.test(String(open))) continue
            await page.goto(route.startsWith('/') ? route : own(route))
            await settled(page)
            await open(page)
            await page.locator(isLayer).first().waitFor()
            await settled(page)
            const found = await findViolations(page)
            t.strictSame(found.filter(isInSight), [], `${route}, layer ${place}`)
          }
        },
      )
    }
  }
})
