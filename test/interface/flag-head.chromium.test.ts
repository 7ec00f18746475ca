import t from 'tap'
import { expectNoViolations } from './support/axe.ts'
import { apply, booleanFlag, variantFlag } from './support/content.ts'
import { startSite } from './support/site.ts'
import {
  inSegments,
  percent,
  readFlag,
  saidOf,
  saveDraft,
  segments,
  setPercentage,
} from './support/targeting.ts'

t.test('what a flag saves at once', async (t) => {
  const site = await startSite(t)
  const flagOf = (namespaceKey: string, key: string) => readFlag(site.api, namespaceKey, key)
  const isOn = async (namespaceKey: string, flagKey: string, entityId = 'ada') => {
    const { body } = await site.api('POST', '/evaluate/v1/boolean', {
      namespaceKey,
      flagKey,
      entityId,
      context: {},
    })
    return (body as { readonly enabled?: boolean }).enabled
  }

  await site.visit(t, 'says what still serves On, and stops it', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const flag = booleanFlag('payments', { enabled: true, rollouts: [percent(31)] })
    await apply(site.api, namespaceKey, flag)
    await page.goto(visit.own('flags/payments'))
    await page.getByText('On for everyone').waitFor()
    const toggle = page.getByRole('switch', { name: /^Payments/ })
    const other = page.getByRole('combobox', { name: 'What everyone else gets' })
    t.equal(await other.textContent(), 'On')
    await toggle.click()
    await page.getByText('Everyone else gets Off. Still On for 31%.').waitFor()
    await page.getByText('On for 31%', { exact: true }).waitFor()
    t.equal(await other.textContent(), 'Off', 'both are one value')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped: everyone gets Off', { exact: true }).waitFor()
    await page.getByText('Off for everyone').waitFor()
    t.strictSame(saidOf(await flagOf(namespaceKey, 'payments')), ['100% Off', '31% On'])
    t.equal(await isOn(namespaceKey, 'payments'), false)
    await expectNoViolations(t, page, 'a flag that is stopped')

    // Others add a rollout above, and one that looks like it.
    const { rollouts } = await flagOf(namespaceKey, 'payments')
    const patch = { rollouts: [percent(1), ...rollouts, percent(100, false)] }
    await apply(site.api, namespaceKey, {
      kind: 'FLAG_KIND',
      key: 'payments',
      patch: JSON.parse(JSON.stringify(patch)),
    })
    await page.getByRole('textbox', { name: 'Percentage of rollout 1' }).waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('On for 31%', { exact: true }).waitFor()
    t.strictSame(saidOf(await flagOf(namespaceKey, 'payments')), ['1% On', '31% On', '100% Off'])
  })

  const asking = { namespace: { confirm: true } }
  await site.visit(t, 'asks first where the namespace wants it', asking, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('payments', { rollouts: [percent(31)] }))
    await page.goto(visit.own('flags/payments'))
    await page.getByRole('button', { name: 'More for Payments' }).click()
    await page.getByRole('menuitem', { name: 'Stop: everyone gets Off' }).click()
    const question = page.getByRole('alertdialog', { name: /^Stop Payments in/ })
    await question.getByText('On for 31%').waitFor()
    await question.getByLabel('Why').fill('INC-204')
    await expectNoViolations(t, page, 'the question')
    t.strictSame(saidOf(await flagOf(namespaceKey, 'payments')), ['31% On'], 'nothing is done yet')
    await question.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByText('“INC-204”').waitFor()
    t.strictSame(saidOf(await flagOf(namespaceKey, 'payments')), ['100% Off', '31% On'])
    await page.getByRole('button', { name: 'Resume…' }).click()
    const answer = page.getByRole('alertdialog', { name: /^Resume Payments in/ })
    await answer.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('On for 31%', { exact: true }).waitFor()
    t.strictSame(saidOf(await flagOf(namespaceKey, 'payments')), ['31% On'])
  })

  await site.visit(t, 'is the same in a copy of the flag', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const flag = booleanFlag('checkout', { rollouts: [inSegments('germany'), percent(25)] })
    await apply(site.api, namespaceKey, ...segments, flag)
    await page.goto(visit.own('flags/checkout'))
    await page.getByRole('button', { name: 'More for Checkout' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate…' }).click()
    const dialog = page.getByRole('dialog', { name: /^Duplicate Checkout in/ })
    await dialog.getByRole('textbox', { name: 'Key' }).fill('checkout')
    await dialog.getByText('There is a flag checkout already.').waitFor()
    await dialog.getByRole('textbox', { name: 'Key' }).fill('checkout-2')
    await expectNoViolations(t, page, 'the dialog')
    await dialog.getByRole('button', { name: 'Create the copy' }).click()
    await page.waitForURL(`**${visit.own('flags/checkout-2')}`)
    await page.getByRole('heading', { level: 1, name: 'Checkout (copy)' }).waitFor()
    t.strictSame(saidOf(await flagOf(namespaceKey, 'checkout-2')), ['germany', '25% On'])
  })

  await site.visit(t, 'of a flag that is disabled says what it serves', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, variantFlag('limits', ['current', 'next']))
    await page.goto(visit.own('flags/limits'))
    const toggle = page.getByRole('switch', { name: 'Limits: enabled' })
    await toggle.click()
    const question = page.getByRole('alertdialog', { name: /^Disable Limits in/ })
    await question.getByText('Disabled: everyone gets current').waitFor()
    await expectNoViolations(t, page, 'the question')
    await question.getByRole('button', { name: 'Change the default, too' }).click()
    await page.getByText('This draft disables it: everyone gets current.').waitFor()
    await page.getByRole('combobox', { name: 'What everyone else gets' }).click()
    await page.getByRole('option', { name: 'next' }).click()
    await page.getByText('This draft disables it: everyone gets next.').waitFor()
    await saveDraft(page, '2 changes', namespaceKey)
    await page.getByText('Disabled: everyone gets next. The rules are not asked.').waitFor()
    t.match(await flagOf(namespaceKey, 'limits'), {
      enabled: false,
      variants: [{ default: false }, { default: true }],
    })
    await page.getByRole('switch', { name: 'Limits: disabled' }).click()
    await page.getByText('Limits is enabled').waitFor()
  })

  await site.visit(t, 'goes on from what is saved at once', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('checkout', { rollouts: [percent(25)] }))
    await page.goto(visit.own('flags/checkout'))
    await setPercentage(page, 'rollout 1', '50')
    await page.getByRole('switch', { name: /^Checkout/ }).click()
    await page.getByText(`Checkout is on in ${namespaceKey}`).waitFor()
    await page.getByRole('button', { name: 'Description' }).click()
    await page.getByRole('textbox', { name: 'Description' }).fill('In one page')
    await page.keyboard.press('Enter')
    await page.getByText('The description of Checkout is changed').waitFor()
    await page.getByRole('button', { name: 'Tag', exact: true }).click()
    await page.getByRole('combobox', { name: 'Tags' }).fill('shop')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.getByText('The tags of Checkout are changed').waitFor()
    const flag = await flagOf(namespaceKey, 'checkout')
    t.match(flag, { enabled: true, description: 'In one page', metadata: { tags: ['shop'] } })
    t.strictSame(saidOf(flag), ['25% On'], 'the draft is not saved by it')
    await page.getByRole('region', { name: 'Draft' }).getByText('1 change').waitFor()
    await saveDraft(page, '1 change', namespaceKey)
    const saved = await flagOf(namespaceKey, 'checkout')
    t.match(saved, { enabled: true, description: 'In one page', metadata: { tags: ['shop'] } })
    t.strictSame(saidOf(saved), ['50% On'])
  })

  await site.visit(t, 'leaves what others have written meanwhile', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const others = (patch: Record<string, unknown>) =>
      apply(site.api, namespaceKey, {
        kind: 'FLAG_KIND',
        key: 'checkout',
        patch: JSON.parse(JSON.stringify(patch)),
      })
    await apply(site.api, namespaceKey, booleanFlag('checkout', { metadata: { tags: ['one'] } }))
    await page.goto(visit.own('flags/checkout'))
    await page.getByRole('button', { name: 'Edit the tags' }).click()
    await page.getByRole('combobox', { name: 'Tags' }).waitFor()
    await others({ metadata: { tags: ['one', 'pci'] } })
    const head = page.getByRole('main')
    await head.getByText('pci', { exact: true }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Tags' }).waitFor({ state: 'detached' })
    t.match(await flagOf(namespaceKey, 'checkout'), { metadata: { tags: ['one', 'pci'] } })
    await page.getByRole('button', { name: 'Edit the tags' }).click()
    await page.getByRole('combobox', { name: 'Tags' }).fill('two')
    await others({ metadata: { tags: ['one', 'pci', 'owner-tom'] } })
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.getByText('The tags of Checkout are changed').waitFor()
    t.match(await flagOf(namespaceKey, 'checkout'), {
      metadata: { tags: ['one', 'pci', 'owner-tom', 'two'] },
    })

    await page.getByRole('button', { name: 'Description' }).click()
    const field = page.getByRole('textbox', { name: 'Description' })
    await field.fill('In one page')
    await others({ description: 'DO NOT raise before Monday' })
    await page.keyboard.press('Enter')
    await page.getByText(/changed it meanwhile.*DO NOT raise before Monday/).waitFor()
    t.match(await flagOf(namespaceKey, 'checkout'), { description: 'DO NOT raise before Monday' })
    t.equal(await field.inputValue(), 'In one page', 'what was typed stays')
    await page.getByRole('button', { name: 'Cancel' }).click()

    await page.getByRole('link', { name: 'Settings', exact: true }).last().click()
    const text = page.getByRole('textbox', { name: 'Description' })
    await text.fill('Mine')
    await others({ description: 'Not before Tuesday' })
    await page.getByText('Not before Tuesday').first().waitFor()
    await text.blur()
    await page.getByText(/changed it meanwhile.*Not before Tuesday/).waitFor()
    t.match(await flagOf(namespaceKey, 'checkout'), { description: 'Not before Tuesday' })
    await page.getByRole('button', { name: 'Save mine' }).click()
    await page.getByText('The description of Checkout is saved').waitFor()
    t.match(await flagOf(namespaceKey, 'checkout'), { description: 'Mine' })

    await others({ metadata: { owner: 'Jule' } })
    const owner = page.getByRole('textbox', { name: 'Value of entry 1' })
    await owner.waitFor()
    await owner.fill('Ada')
    await others({ metadata: { owner: 'Tom' } })
    await page.getByText('Tom').first().waitFor()
    await owner.blur()
    await page.getByText(/is "Tom", not "Jule"/).waitFor()
    t.match(await flagOf(namespaceKey, 'checkout'), { metadata: { owner: 'Tom' } })
    await owner.fill('Ada!')
    await owner.blur()
    await page.getByText('owner of Checkout is saved').waitFor()
    t.match(await flagOf(namespaceKey, 'checkout'), { metadata: { owner: 'Ada!' } })
  })
})
