import t from 'tap'
import { startChromium } from '../support/chromium.ts'
import { startStack } from '../support/stack.ts'

t.test('the page of the documentation', async (t) => {
  const { urls } = await startStack(t)
  const context = await (await startChromium(t)).newContext()
  const page = await context.newPage()
  // Swagger UI resolves the whole document at first, which takes long beside other browsers.
  page.setDefaultTimeout(60_000)

  await t.test('begins with flags and their evaluation', async (t) => {
    await page.goto(`${urls[0]}/docs`)
    const groups = page.locator('.opblock-tag')
    await groups.first().waitFor()
    const tags = await groups.all()
    const names = await Promise.all(tags.map((tag) => tag.getAttribute('data-tag')))
    t.strictSame(names.slice(0, 2), ['Flag', 'Evaluation'])
    t.ok(names.includes('Authentication'))
  })

  await t.test('takes a token where the cursor is', async (t) => {
    await page.click('.btn.authorize')
    await page.keyboard.type('svc_typed')
    t.equal(await page.inputValue('#auth-bearer-value'), 'svc_typed')
    await page.click('.modal-ux .close-modal')
  })

  await t.test('shows real examples, of the path, too', async (t) => {
    await page.click('[data-tag="Flag"]')
    await page.click('[id="operations-Flag-createFlag"] .opblock-summary-control')
    const operation = page.locator('[id="operations-Flag-createFlag"]')
    await operation.locator('.try-out__btn').click()
    const body = JSON.parse(await operation.locator('textarea').inputValue())
    t.match(body, { key: 'checkout', name: 'Checkout', type: 'BOOLEAN_FLAG_TYPE' })
    t.equal(await operation.locator('input[placeholder="namespaceKey"]').inputValue(), 'default')
    t.notMatch(await operation.textContent(), /"string"/)
  })
})
