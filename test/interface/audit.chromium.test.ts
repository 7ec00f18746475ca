import t from 'tap'
import { expectNoViolations } from './support/axe.ts'
import { signIn, startSite } from './support/site.ts'

t.test('the audit log', async (t) => {
  const site = await startSite(t)
  const apart = { hasNamespace: false }
  const makeToken = async (name: string) => {
    const { body } = await site.api('POST', '/auth/v1/method/token', { name })
    return body as {
      readonly clientToken: string
      readonly authentication: { readonly id: string }
    }
  }

  await site.visit(t, 'tells what happened to tokens', apart, async (t, visit) => {
    const { page } = visit
    const { authentication } = await makeToken('<b>shop</b>')
    await site.api('DELETE', `/auth/v1/tokens/${authentication.id}`)
    await page.goto('/audit')
    const made = page.getByRole('row', { name: /made the token <b>shop<\/b>/ })
    await made.waitFor()
    await page.getByRole('row', { name: /deleted the token <b>shop<\/b>/ }).waitFor()
    await made.getByRole('button', { name: /^Show event/ }).click()
    await made.getByText(authentication.id).waitFor()
    await expectNoViolations(t, page, 'an event')
    await page.waitForURL(/open=\d+/)
    await page.reload()
    await made.getByText(authentication.id).waitFor()

    await page.getByRole('button', { name: 'What', exact: true }).click()
    await page.getByRole('menuitemradio', { name: 'Tokens deleted' }).click()
    await page.waitForURL(/type=token\.deleted/)
    await made.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /deleted the token <b>shop<\/b>/ }).waitFor()
    t.pass('filtered')
  })

  await site.visit(t, 'is verified', apart, async (t, { page }) => {
    await page.goto('/audit')
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText(/^Intact: all \d+ entries are as they were written/).waitFor()
    await expectNoViolations(t, page, 'verified')
  })

  await site.visit(
    t,
    'says why a token of one namespace may not see it',
    { isSignedIn: false },
    async (t, { page, namespaceKey, secrets }) => {
      const token = await site.stack.createNamespacedToken(namespaceKey)
      secrets.add(token)
      await page.goto('/login')
      await signIn(page, token)
      await page.goto('/audit')
      await page.getByRole('heading', { name: 'You may not see this' }).waitFor()
      await page.getByText(`is restricted to namespace "${namespaceKey}"`).waitFor()
      t.equal(await page.getByRole('button', { name: 'Verify' }).count(), 0)
      await expectNoViolations(t, page, 'refused')
      await page.goto('/status')
      await page.getByRole('heading', { name: 'Everything works' }).waitFor()
      await page.getByRole('row').nth(1).waitFor()
    },
  )
})
