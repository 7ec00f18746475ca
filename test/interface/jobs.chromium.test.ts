import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { apply, inGermany, segment } from './support/content.ts'
import { hasFocus, keyboardOf } from './support/keyboard.ts'
import { startSite } from './support/site.ts'

t.test('a change from beginning to end', async (t) => {
  const site = await startSite(t)
  const variantOf = async (namespaceKey: string, entityId: string, country: string) => {
    const { body } = await site.api('POST', '/evaluate/v1/variant', {
      namespaceKey,
      flagKey: 'checkout',
      entityId,
      context: { country },
    })
    return (body as { readonly variantKey?: string }).variantKey
  }

  await site.visit(t, 'is made by keyboard alone', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const keys = keyboardOf(page)
    const germany = segment('germany', [inGermany])
    await apply(site.api, namespaceKey, germany, segment('everyone'))

    // A flag with variants.
    await page.goto(visit.own('flags'))
    await page.getByRole('button', { name: 'Create the first flag' }).waitFor()
    await keys.press('c')
    const form = page.getByRole('dialog', { name: /^New flag in/ })
    await waitFor(() => hasFocus(form.getByLabel('Name', { exact: true })))
    await keys.type('Checkout')
    await keys.to(form.getByRole('radio', { name: /Yes or no/ }), 'Shift+Tab')
    await keys.press('ArrowRight')
    await keys.to(form.getByLabel('Variants'))
    await keys.type('control,new,')
    await keys.press('Control+Enter')
    await page.waitForURL(`**${visit.own('flags/checkout')}`)
    await page.getByRole('heading', { level: 1, name: 'Checkout' }).waitFor()

    // A rule for everyone, and one for a segment with a split, which goes before it.
    const add = page.getByRole('combobox', { name: 'Rule', exact: true })
    for (const [typed, name] of [
      ['every', /Everyone/],
      ['germ', /Germany/],
    ] as const) {
      await keys.to(add)
      await keys.press('Enter')
      await page.getByRole('combobox', { name: 'Find a segment' }).waitFor()
      await keys.type(typed)
      await page.getByRole('option', { name }).waitFor()
      await keys.press('Enter')
      await page.getByRole('combobox', { name: 'Find a segment' }).waitFor({ state: 'detached' })
    }
    const serves = page.getByRole('combobox', { name: 'What rule 2 serves' })
    await keys.to(serves, 'Shift+Tab')
    await keys.press('Enter')
    await page.getByRole('option', { name: 'a split' }).waitFor()
    await keys.press('End', 'Enter')
    const share = (variant: string) => page.getByRole('textbox', { name: `Share of ${variant}` })
    for (const [variant, percentage] of [
      ['control', '75'],
      ['new', '25'],
    ] as const) {
      await keys.to(share(variant))
      await keys.press('Control+a')
      await keys.type(percentage)
    }
    await keys.press('Tab')
    await page.getByText('Total 100%').waitFor()
    await keys.to(page.getByRole('button', { name: 'Reorder rule 2', exact: true }), 'Shift+Tab')
    await keys.press('Alt+ArrowUp')
    await page.getByText('Rule 2, now 1 of 2').waitFor({ state: 'attached' })

    // Review, and save with a reason.
    await keys.press('Control+s')
    const review = page.getByRole('dialog', { name: /^2 changes to Checkout in/ })
    await keys.to(review.getByLabel('Why'))
    await keys.type('a quarter of Germany')
    await keys.press('Control+Enter')
    await review.waitFor({ state: 'detached' })
    await page.getByText('Live on 1/1 gateways').first().waitFor()
    const inside = await Promise.all(
      Array.from({ length: 200 }, (_, i) => variantOf(namespaceKey, `user-${i}`, 'DE')),
    )
    const served = inside.filter((variant) => variant === 'new').length
    t.ok(served > 25 && served < 75, `${served} of 200 in Germany get new`)
    t.equal(await variantOf(namespaceKey, 'user-1', 'FR'), 'new', 'the other rule is for the rest')

    // Undo.
    await keys.press('F6')
    await keys.to(page.getByRole('button', { name: 'Undo', exact: true }).first())
    await keys.press('Enter')
    await page.getByText('Taken back').waitFor()
    await page.getByText('No rule yet, so all go through.').waitFor()
    t.equal(await variantOf(namespaceKey, 'user-1', 'DE'), 'control')

    // Why.
    await keys.press('g', 'c')
    await page.waitForURL(`**${visit.own('console')}`)
    await page.getByRole('heading', { level: 1, name: 'Console' }).waitFor()
    await keys.to(page.getByRole('combobox', { name: /^Flag/ }))
    await keys.press('Enter')
    await page.getByRole('option', { name: /Checkout/ }).waitFor()
    await keys.type('check')
    await page.getByRole('option', { name: /Checkout/ }).waitFor()
    await keys.press('Enter')
    await page.getByText('control, because there is no rule').waitFor()
  })
})
