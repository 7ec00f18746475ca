import t from 'tap'
import { hostileTexts, tryHostileTexts } from './support/hostile.ts'
import { startSite } from './support/site.ts'
import { breakPolicy } from './support/watch.ts'

const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' data:`,
  `font-src 'self'`,
  `connect-src 'self'`,
  `base-uri 'self'`,
  `form-action 'self'`,
  `frame-ancestors 'none'`,
].join('; ')

t.test('the policy of pages', async (t) => {
  const site = await startSite(t)

  await site.visit(t, 'is strict', {}, async (t, { page, own }) => {
    const response = await page.goto(own('flags'))
    t.equal(await response?.headerValue('content-security-policy'), policy)
  })

  // Without this, no complaint of the other tests would mean anything.
  await site.visit(
    t,
    'is kept by the browser, and what breaks it is seen',
    {},
    async (t, visit) => {
      const { page, watched } = visit
      await page.goto(visit.own('flags'))
      await page.getByRole('heading', { level: 1 }).waitFor()
      await breakPolicy(page)
      t.equal(await page.evaluate('window.svcBroken'), undefined, 'the script did not run')
      const seen = watched.take('policy').map(({ text }) => text)
      t.ok(
        seen.some((text) => text.startsWith('script-src-elem inline')),
        'the script is seen',
      )
      t.ok(
        seen.some((text) => text.startsWith('style-src-attr inline')),
        'the style is seen',
      )
    },
  )

  await site.visit(t, 'is not broken by hostile texts in any field', {}, async (t, visit) => {
    await tryHostileTexts(t, site, visit, hostileTexts.slice(0, 10))
  })
})
