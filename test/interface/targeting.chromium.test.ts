import { waitFor } from '@svc/runtime/testing'
import type { Page } from 'playwright-core'
import t from 'tap'
import { expectNoViolations } from './support/axe.ts'
import { apply, booleanFlag, inGermany, segment, variantFlag } from './support/content.ts'
import { hasFocus, keyboardOf } from './support/keyboard.ts'
import { startSite } from './support/site.ts'

interface Stored {
  readonly enabled: boolean
  readonly description: string
  readonly metadata?: { readonly tags?: readonly string[] }
  readonly variants: readonly { readonly key: string; readonly default: boolean }[]
  readonly rules: readonly {
    readonly segments: readonly string[]
    readonly distributions: readonly { readonly variant: string; readonly rollout: number }[]
  }[]
  readonly rollouts: readonly {
    readonly segment?: { readonly segments: readonly string[]; readonly operator: string }
    readonly threshold?: { readonly percentage: number; readonly value: boolean }
  }[]
}

const percent = (percentage: number, value = true) => ({ threshold: { percentage, value } })
const inSegments = (...segments: readonly string[]) => ({ segment: { segments, value: true } })

/** What each rollout is for, in their order. */
const saidOf = ({ rollouts }: Stored) =>
  rollouts.map(({ segment, threshold }) =>
    segment === undefined
      ? `${threshold?.percentage}% ${threshold?.value === true ? 'On' : 'Off'}`
      : segment.segments.join(segment.operator === 'AND_SEGMENT_OPERATOR' ? ' and ' : ' or '),
  )

t.test('the targeting of a flag', async (t) => {
  const site = await startSite(t)
  const flagOf = async (namespaceKey: string, key: string): Promise<Stored> => {
    const path = `/api/v1/namespaces/${namespaceKey}/documents/flags/${key}`
    const { body } = await site.api('GET', path)
    return (body as { readonly flag: Stored }).flag
  }
  const isOn = async (namespaceKey: string, flagKey: string, entityId = 'ada') => {
    const { body } = await site.api('POST', '/evaluate/v1/boolean', {
      namespaceKey,
      flagKey,
      entityId,
      context: {},
    })
    return (body as { readonly enabled?: boolean }).enabled
  }
  const segments = [segment('germany', [inGermany]), segment('staff', [inGermany])]
  const setPercentage = async (page: Page, step: string, text: string) => {
    const field = page.getByRole('textbox', { name: `Percentage of ${step}` })
    await field.fill(text)
    await field.press('Tab')
  }
  const save = async (page: Page, changes: string, namespaceKey: string) => {
    await page.getByRole('button', { name: 'Review and save' }).click()
    const review = page.getByRole('dialog', { name: new RegExp(`^${changes}`) })
    await review.getByRole('button', { name: `Save to ${namespaceKey}` }).click()
    await review.waitFor({ state: 'detached' })
  }

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

    await save(page, '3 changes', namespaceKey)
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
    await save(page, '1 change', namespaceKey)
    const { rules: saved } = await flagOf(namespaceKey, 'theme')
    t.strictSame(
      saved[0]?.distributions.map(({ variant, rollout }) => `${variant} ${rollout}`),
      ['blue 60', 'green 40', 'amber 0'],
    )
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
    await save(page, '2 changes', namespaceKey)
    await page.getByText('Disabled: everyone gets next. The rules are not asked.').waitFor()
    t.match(await flagOf(namespaceKey, 'limits'), {
      enabled: false,
      variants: [{ default: false }, { default: true }],
    })
    await page.getByRole('switch', { name: 'Limits: disabled' }).click()
    await page.getByText('Limits is enabled').waitFor()
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
    await save(page, '1 change', namespaceKey)
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
    await save(page, '1 change', namespaceKey)
    const saved = await flagOf(namespaceKey, 'checkout')
    t.match(saved, { enabled: true, description: 'In one page', metadata: { tags: ['shop'] } })
    t.strictSame(saidOf(saved), ['50% On'])
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
