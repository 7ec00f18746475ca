import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { expectNoViolations } from './support/axe.ts'
import { apply, booleanFlag, segment, variantFlag } from './support/content.ts'
import { hasFocus, keyboardOf } from './support/keyboard.ts'
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

t.test('the targeting of a flag', async (t) => {
  const site = await startSite(t)
  const flagOf = (namespaceKey: string, key: string) => readFlag(site.api, namespaceKey, key)

  await site.visit(t, 'is edited in a draft and saved as one change', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const rollouts = [inSegments('germany'), percent(25), percent(90, false)]
    await apply(site.api, namespaceKey, ...segments, booleanFlag('checkout', { rollouts }))
    await page.goto(visit.own('flags/checkout'))
    await page.getByRole('combobox', { name: 'Add a segment to rollout 1' }).click()
    await page.getByRole('option', { name: /Staff/ }).click()
    await page.getByRole('button', { name: /^OR\. / }).click()
    await setPercentage(page, 'rollout 2', '50')
    await page.getByText('25% more').waitFor()
    await page.getByRole('button', { name: 'More for rollout 3' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    const restore = page.getByRole('button', { name: /^Restore: For 90%, serve Off/ })
    await waitFor(() => hasFocus(restore))
    const bar = page.getByRole('region', { name: 'Draft' })
    await bar.getByText('3 changes').waitFor()
    await expectNoViolations(t, page, 'a draft')
    t.strictSame(saidOf(await flagOf(namespaceKey, 'checkout')).length, 3, 'nothing is saved yet')

    await page.reload()
    await bar.getByText('3 changes').waitFor()
    await bar.getByRole('button', { name: 'Undo' }).click()
    await bar.getByText('2 changes').waitFor()
    await page.getByRole('button', { name: 'Reorder rollout 3' }).waitFor()
    await bar.getByRole('button', { name: 'Redo' }).click()
    await bar.getByText('3 changes').waitFor()
    await bar.getByRole('button', { name: 'Discard' }).click()
    await bar.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await bar.getByText('3 changes').waitFor()

    await saveDraft(page, '3 changes', namespaceKey)
    await bar.waitFor({ state: 'detached' })
    t.strictSame(saidOf(await flagOf(namespaceKey, 'checkout')), ['germany and staff', '50% On'])
  })

  await site.visit(t, 'is ordered by grip, by keys and by menu', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const keys = keyboardOf(page)
    const rollouts = [percent(10), percent(20), percent(30)]
    await apply(site.api, namespaceKey, booleanFlag('checkout', { rollouts }))
    await page.goto(visit.own('flags/checkout'))
    const share = (place: number) =>
      page.getByRole('textbox', { name: `Percentage of rollout ${place}` }).inputValue()
    const order = async () => [await share(1), await share(2), await share(3)].join(' ')
    const grip = (place: number) =>
      page.getByRole('button', { name: `Reorder rollout ${place}`, exact: true })

    await grip(3).waitFor()
    await keys.to(grip(3))
    await keys.press('Alt+ArrowUp')
    await page.getByText('Rollout 3, now 2 of 3').waitFor({ state: 'attached' })
    await waitFor(async () => (await order()) === '10 30 20')
    await waitFor(() => hasFocus(grip(2)))
    await keys.press('Space')
    await page.getByText('Rollout 2 is picked up. It is 2 of 3.').waitFor({ state: 'attached' })
    await keys.press('ArrowUp')
    await page.getByText('Rollout 2, now 1 of 3').waitFor({ state: 'attached' })
    await keys.press('Escape')
    await page.getByText('Rollout 2 is put back, as 2').waitFor({ state: 'attached' })
    t.equal(await order(), '10 30 20', 'Escape puts it back')
    await waitFor(() => hasFocus(grip(2)))
    await keys.press('Space')
    await page.getByText('Rollout 2 is picked up. It is 2 of 3.').waitFor({ state: 'attached' })
    await keys.press('ArrowUp')
    await page.getByText('Rollout 2, now 1 of 3').waitFor({ state: 'attached' })
    await keys.press('Space')
    await waitFor(async () => (await order()) === '30 10 20')

    await page.getByRole('button', { name: 'More for rollout 3' }).click()
    await page.getByRole('menuitem', { name: 'Move to the top' }).click()
    await waitFor(async () => (await order()) === '20 30 10')

    const [from, to] = [await grip(1).boundingBox(), await grip(3).boundingBox()]
    if (from === null || to === null) throw new Error('the grips are not to be seen')
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
    await page.mouse.down()
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2 + 20, { steps: 12 })
    await page.mouse.up()
    await waitFor(async () => (await order()) === '30 10 20')
    await page.getByText('1 change', { exact: true }).waitFor()
  })

  await site.visit(t, 'keeps the shares that are walked through', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const distributions = [33.3333, 33.3333, 33.3334].map((rollout, place) => ({
      variant: ['blue', 'green', 'amber'][place] ?? '',
      rollout,
    }))
    const rules = [{ segments: ['germany'], distributions }]
    const theme = variantFlag('theme', ['blue', 'green', 'amber'], { rules })
    const checkout = booleanFlag('checkout', { rollouts: [percent(33.3333)] })
    await apply(site.api, namespaceKey, ...segments, theme, checkout)
    await page.goto(visit.own('flags/theme'))
    const share = (variant: string) =>
      page.getByRole('textbox', { name: new RegExp(`^Share of ${variant}`) })
    for (const variant of ['blue', 'green', 'amber']) {
      await share(variant).focus()
      await share(variant).press('Tab')
    }
    t.equal(await share('amber').inputValue(), '33.3334')
    const bar = page.getByRole('region', { name: 'Draft' })
    t.equal(await bar.count(), 0, 'nothing was typed')
    await share('amber').fill('33.3333')
    await share('amber').press('Tab')
    await bar.getByText('1 change').waitFor()
    await page.getByText('Total 99.9999%').waitFor()
    await page
      .getByText(/0\.0001%/)
      .first()
      .waitFor()

    await page.goto(visit.own('flags/checkout'))
    const percentage = page.getByRole('textbox', { name: 'Percentage of rollout 1' })
    await percentage.focus()
    await percentage.press('Tab')
    t.equal(await bar.count(), 0, 'nothing was typed here either')
  })

  await site.visit(t, 'says whom a percentage adds', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const rollouts = [percent(10), percent(25), percent(20), inSegments('everyone'), percent(90)]
    const flag = booleanFlag('checkout', { rollouts })
    await apply(site.api, namespaceKey, segment('everyone'), flag)
    await page.goto(visit.own('flags/checkout'))
    const step = (place: number) =>
      page.getByRole('list', { name: /order/ }).locator('li').nth(place)
    await step(2).getByText('adds 15%').waitFor()
    await step(3).getByText('adds nobody').waitFor()
    await step(4).getByText('matches everyone').waitFor()
    await step(5).getByText('Everyone is in a segment above.').waitFor()
    await setPercentage(page, 'rollout 3', '40')
    await step(3).getByText('adds 15%').waitFor()
    await expectNoViolations(t, page, 'percentages')
  })

  await site.visit(t, 'of a split says who gets its gap', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const distributions = [
      { variant: 'blue', rollout: 45 },
      { variant: 'green', rollout: 45 },
    ]
    const rules = [{ segments: ['germany'], distributions }]
    const flag = variantFlag('theme', ['blue', 'green', 'amber'], { rules })
    await apply(site.api, namespaceKey, ...segments, flag)
    await page.goto(visit.own('flags/theme'))
    const gap = page.getByText('The other 10% get the default, blue. Later rules are not asked.')
    await gap.waitFor()
    const green = page.getByRole('textbox', { name: 'Share of green' })
    await green.fill('60')
    await green.press('Tab')
    await page.getByText('That is 5% too much.').waitFor()
    const review = page.getByRole('button', { name: 'Review and save' })
    t.equal(await review.getAttribute('aria-disabled'), 'true', 'it cannot be saved')
    await page.getByRole('button', { name: 'Distribute evenly' }).click()
    await page.getByText('Total 100%').waitFor()
    await green.fill('40')
    await green.press('Tab')
    await page.getByRole('button', { name: 'Give it to blue' }).click()
    await page.getByText('Total 100%').waitFor()
    await page.getByRole('combobox', { name: 'Variant', exact: true }).click()
    await page.getByRole('option', { name: 'amber' }).click()
    await page.getByText('buckets 100 – 100').waitFor()
    await expectNoViolations(t, page, 'a split')
    await saveDraft(page, '1 change', namespaceKey)
    const { rules: saved } = await flagOf(namespaceKey, 'theme')
    t.strictSame(
      saved[0]?.distributions.map(({ variant, rollout }) => `${variant} ${rollout}`),
      ['blue 60', 'green 40', 'amber 0'],
    )
  })

  await site.visit(t, 'gives a segment a split by keyboard alone', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const keys = keyboardOf(page)
    await apply(site.api, namespaceKey, ...segments, variantFlag('theme', ['blue', 'green']))
    await page.goto(visit.own('flags/theme'))
    await keys.to(page.getByRole('combobox', { name: 'Rule', exact: true }))
    await keys.press('Enter')
    await page.getByRole('option', { name: /Germany/ }).waitFor()
    await keys.type('germ')
    await page.getByRole('option', { name: /Staff/ }).waitFor({ state: 'detached' })
    await keys.press('Enter')
    const serves = page.getByRole('combobox', { name: 'What rule 1 serves' })
    await keys.to(serves, 'Shift+Tab')
    await keys.press('Enter')
    await page.getByRole('option', { name: 'a split' }).waitFor()
    await keys.press('End', 'Enter')
    const green = page.getByRole('textbox', { name: 'Share of green' })
    await green.waitFor()
    await waitFor(() => hasFocus(serves))
    await keys.to(green)
    await keys.press('Shift+ArrowDown', 'ArrowDown', 'Alt+ArrowDown')
    await page.getByText('The other 11.01% get the default, blue.').waitFor()
    await keys.press('Control+z', 'Control+z', 'Control+z')
    t.equal(await green.inputValue(), '50', 'each press can be taken back')
    await keys.press('ArrowUp')
    await keys.to(page.getByRole('textbox', { name: 'Share of blue' }))
    await keys.press('ArrowDown', 'Control+s')
    const review = page.getByRole('dialog', { name: /^1 change/ })
    await review.waitFor()
    await review.locator(':focus').waitFor()
    await keys.press('Control+Enter')
    await review.waitFor({ state: 'detached' })
    t.match((await flagOf(namespaceKey, 'theme')).rules, [
      {
        segments: ['germany'],
        distributions: [
          { variant: 'green', rollout: 51 },
          { variant: 'blue', rollout: 49 },
        ],
      },
    ])
  })

  await site.visit(t, 'takes a text for nothing else', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const hostile = '<img src=x onerror="window.svcHacked=1">\'"{{7*7}}'
    const rollouts = [{ ...inSegments('gone'), description: hostile }]
    await apply(
      site.api,
      namespaceKey,
      { kind: 'SEGMENT_KIND', key: 'gone', segment: { name: hostile } },
      booleanFlag('checkout', { name: hostile, metadata: { owner: hostile }, rollouts }),
    )
    await page.goto(visit.own('flags/checkout'))
    await page.getByRole('heading', { level: 1, name: hostile }).waitFor()
    await page.getByRole('link', { name: hostile }).first().waitFor()
    const field = page.getByRole('textbox', { name: 'Description of rollout 1' })
    t.equal(await field.inputValue(), hostile)
    await field.fill(`${hostile} and more`)
    await page.getByRole('button', { name: 'More for rollout 1' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByText(`If in ${hostile}, serve On`).first().waitFor()
    t.equal(await page.evaluate('window.svcHacked'), undefined)
  })

  await site.visit(t, 'leads from a share of a segment to variants', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const flag = booleanFlag('checkout', { rollouts: [inSegments('germany'), percent(25)] })
    await apply(site.api, namespaceKey, ...segments, flag)
    await page.goto(visit.own('flags/checkout'))
    await page.getByRole('button', { name: 'More for rollout 1' }).click()
    await page.getByRole('menuitem', { name: 'Only a share of them…' }).click()
    const dialog = page.getByRole('dialog', { name: /^A share of a segment/ })
    await dialog.getByText('A boolean flag cannot serve a share of a segment').waitFor()
    await expectNoViolations(t, page, 'the offer')
    await dialog.getByRole('button', { name: 'Create it, and open the draft' }).click()
    await page.waitForURL(`**${visit.own('flags/checkout-variants')}`)
    await page.getByRole('textbox', { name: 'Share of on' }).waitFor()
    t.strictSame((await flagOf(namespaceKey, 'checkout-variants')).rules, [], 'a draft so far')
    await saveDraft(page, '1 change', namespaceKey)
    const { rules } = await flagOf(namespaceKey, 'checkout-variants')
    t.match(rules, [
      {
        segments: ['germany'],
        distributions: [
          { variant: 'on', rollout: 25 },
          { variant: 'off', rollout: 75 },
        ],
      },
    ])
  })

  await site.visit(t, 'says in a draft that others have changed it', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const change = (percentage: number, description = '') =>
      apply(
        site.api,
        namespaceKey,
        booleanFlag('checkout', { description, rollouts: [percent(percentage)] }),
      )
    await change(25)
    await page.goto(visit.own('flags/checkout'))
    const field = page.getByRole('textbox', { name: 'Percentage of rollout 1' })
    await field.waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await change(30)
    await waitFor(async () => (await field.inputValue()) === '30')
    await setPercentage(page, 'rollout 1', '50')
    await change(40, 'by somebody else')
    await page
      .getByRole('region', { name: 'Draft' })
      .getByText(/changed it/)
      .waitFor()
    t.equal(await field.inputValue(), '50', 'the draft stays')
    await page.keyboard.press('Control+s')
    await page.getByRole('dialog').waitFor()
    t.strictSame(saidOf(await flagOf(namespaceKey, 'checkout')), ['40% On'])
  })
})
