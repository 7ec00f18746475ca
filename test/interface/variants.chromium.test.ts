import type { StoredFlag } from '@svc/client/api'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { expectNoViolations } from './support/axe.ts'
import { apply, booleanFlag, inGermany, segment, variantFlag } from './support/content.ts'
import { hasFocus, keyboardOf } from './support/keyboard.ts'
import { startSite } from './support/site.ts'
import { saveDraft } from './support/targeting.ts'
import { undo } from './support/toasts.ts'

const hostile = '"><img src=x onerror=alert(1)><script>alert(2)</script>'

const theme = () => [
  segment('germany', [inGermany]),
  variantFlag('theme', ['blue', 'green', 'amber'], {
    metadata: { owner: 'shop', tags: ['web'] },
    rules: [
      {
        segments: ['germany'],
        distributions: [
          { variant: 'blue', rollout: 60 },
          { variant: 'green', rollout: 30 },
          { variant: 'amber', rollout: 10 },
        ],
      },
    ],
  }),
]

t.test('variants and settings of a flag', async (t) => {
  const site = await startSite(t)
  const read = async (namespaceKey: string, key: string) =>
    site.api('GET', `/api/v1/namespaces/${namespaceKey}/documents/flags/${key}`)
  const stored = async (namespaceKey: string, key: string) =>
    ((await read(namespaceKey, key)).body as StoredFlag).flag

  await site.visit(t, 'a variant is made and changed by itself', {}, async (t, visit) => {
    const { page, own, namespaceKey } = visit
    await apply(site.api, namespaceKey, ...theme())
    await page.goto(own('flags/theme/variants'))
    await page.getByRole('button', { name: 'Variant', exact: true }).click()
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Key').fill('blue')
    await panel.getByText('There is a variant blue already.').waitFor()
    await panel.getByLabel('Key').fill('red')
    await panel.locator('[data-json-editor]').click()
    await page.keyboard.type('{"a": 1.0,\n}')
    await panel.getByText(/^Line \d: this is no JSON\.$/).waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('{"a": 1.0}')
    await panel.getByText('9 of 1,024,000 bytes').waitFor()
    await expectNoViolations(t, page, 'the panel of a variant')
    await panel.getByRole('button', { name: 'Save variant' }).click()
    await page.getByText('red is a variant of Theme').waitFor()
    t.match((await stored(namespaceKey, 'theme')).variants[3], {
      key: 'red',
      attachment: '{"a":1.0}',
    })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Taken back').waitFor()
    t.equal((await stored(namespaceKey, 'theme')).variants.length, 3)

    // Rules follow a new key: who has the variant keeps it.
    await page.getByRole('button', { name: 'green', exact: true }).click()
    await panel.getByLabel('Key').fill('teal')
    await panel.getByRole('button', { name: 'Save variant' }).click()
    await page.getByText('teal of Theme is saved').waitFor()
    t.match((await stored(namespaceKey, 'theme')).rules[0]?.distributions[1], {
      variant: 'teal',
      rollout: 30,
    })
  })

  await site.visit(t, 'one that is deleted says who had it', {}, async (t, visit) => {
    const { page, own, namespaceKey } = visit
    await apply(site.api, namespaceKey, ...theme())
    await page.goto(own('flags/theme/variants'))
    await page.getByRole('button', { name: 'More for green' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    const ask = page.getByRole('alertdialog')
    await ask.getByText('Rule 1, for Germany').waitFor()
    await ask.getByText('30% have it. They get the default, blue.').waitFor()
    await ask.getByText('Later rules are not asked.').waitFor()
    await expectNoViolations(t, page, 'the question before a variant is deleted')
    await ask.getByRole('button', { name: 'Delete variant' }).click()
    await page.getByText('green of Theme is deleted').waitFor()
    const { variants, rules } = await stored(namespaceKey, 'theme')
    t.match(variants, [{ key: 'blue' }, { key: 'amber' }])
    t.match(rules[0]?.distributions, [
      { variant: 'blue', rollout: 60 },
      { variant: 'amber', rollout: 10 },
    ])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'green', exact: true }).waitFor()
    t.match((await stored(namespaceKey, 'theme')).rules[0]?.distributions[1], { variant: 'green' })

    await page.getByRole('button', { name: 'More for blue' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await ask.getByText('60% have it. They get the default that the code brings itself.').waitFor()
    await ask.getByText(/^It is the default\. Everyone else gets/).waitFor()
    await ask.getByRole('button', { name: 'Delete variant' }).click()
    await page.getByText('There is no default').waitFor()
    t.notOk((await stored(namespaceKey, 'theme')).variants.some((one) => one.default))
  })

  await site.visit(t, 'what others do to a variant is not lost', {}, async (t, visit) => {
    const { page, own, namespaceKey } = visit
    await apply(site.api, namespaceKey, ...theme())
    await page.goto(own('flags/theme/variants?variant=green'))
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Name').fill('Mine')
    const { variants } = await stored(namespaceKey, 'theme')
    const theirs = variants.map((one) => (one.key === 'green' ? { ...one, name: 'Theirs' } : one))
    await apply(site.api, namespaceKey, {
      kind: 'FLAG_KIND',
      key: 'theme',
      patch: { variants: theirs },
    })
    await panel.getByRole('button', { name: 'Save variant' }).click()
    await panel.getByText('Others have changed this variant meanwhile.').waitFor()
    t.equal((await stored(namespaceKey, 'theme')).variants[1]?.name, 'Theirs')
    t.equal(await panel.getByLabel('Name').inputValue(), 'Mine')
    await panel.getByRole('button', { name: 'Take theirs' }).click()
    t.equal(await panel.getByLabel('Name').inputValue(), 'Theirs')
  })

  await site.visit(t, 'one that others rename or delete stays open', {}, async (t, visit) => {
    const { page, own, namespaceKey } = visit
    await apply(site.api, namespaceKey, ...theme())
    await page.goto(own('flags/theme/variants?variant=green'))
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Name').fill('Mine')
    const { variants } = await stored(namespaceKey, 'theme')
    const patch = async (theirs: typeof variants) =>
      apply(site.api, namespaceKey, {
        kind: 'FLAG_KIND',
        key: 'theme',
        patch: { rules: [], variants: theirs },
      })
    const table = page.getByRole('region', { name: 'Variants', includeHidden: true })
    await patch(variants.map((one) => (one.key === 'green' ? { ...one, key: 'teal' } : one)))
    await table.getByText('teal').waitFor()
    t.equal(await panel.getByLabel('Name').inputValue(), 'Mine')
    await patch(variants.filter(({ key }) => key !== 'green'))
    await table.getByText('teal').waitFor({ state: 'detached' })
    t.equal(await panel.getByLabel('Name').inputValue(), 'Mine')
    await panel.getByRole('button', { name: 'Save variant' }).click()
    await panel.getByText(/^Others have deleted this variant/).waitFor()
  })

  await site.visit(t, 'the default that others chose stays it', {}, async (t, visit) => {
    const { page, own, namespaceKey } = visit
    await apply(site.api, namespaceKey, ...theme())
    await page.goto(own('flags/theme/variants?variant=blue'))
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Name').fill('Mine')
    const { variants } = await stored(namespaceKey, 'theme')
    const theirs = variants.map((one) => ({ ...one, default: one.key === 'green' }))
    await apply(site.api, namespaceKey, {
      kind: 'FLAG_KIND',
      key: 'theme',
      patch: { variants: theirs },
    })
    await panel.getByRole('button', { name: 'Save variant' }).click()
    await panel.getByText('Others have changed the flag meanwhile').waitFor()
    await panel.getByRole('button', { name: 'Save variant' }).click()
    await page.getByText('blue of Theme is saved').waitFor()
    t.match((await stored(namespaceKey, 'theme')).variants, [
      { key: 'blue', name: 'Mine', default: false },
      { key: 'green', default: true },
    ])
  })

  await site.visit(t, 'a draft of the targeting goes on from it', {}, async (t, visit) => {
    const { page, own, namespaceKey } = visit
    await apply(site.api, namespaceKey, segment('staff', [inGermany]), ...theme())
    await page.goto(own('flags/theme'))
    await page.getByRole('combobox', { name: 'Add a segment to rule 1' }).click()
    await page.getByRole('option', { name: /Staff/ }).click()
    const bar = page.getByRole('region', { name: 'Draft' })
    await bar.getByText('1 change').waitFor()
    await page.getByRole('link', { name: /^Variants/ }).click()
    await page.getByRole('button', { name: 'green', exact: true }).click()
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Key').fill('teal')
    await panel.getByRole('button', { name: 'Save variant' }).click()
    await page.getByText('teal of Theme is saved').waitFor()
    await page
      .getByRole('link', { name: /^Targeting/ })
      .first()
      .click()
    await bar.getByRole('button', { name: 'Review and save' }).click()
    const review = page.getByRole('dialog', { name: /^1 change/ })
    await review.getByRole('button', { name: `Save to ${namespaceKey}` }).click()
    await review.waitFor({ state: 'detached' })
    const [rule] = (await stored(namespaceKey, 'theme')).rules
    t.strictSame(rule?.segments, ['germany', 'staff'])
    t.strictSame(
      rule?.distributions.map(({ variant }) => variant),
      ['blue', 'teal', 'amber'],
    )
  })

  await site.visit(t, 'a draft keeps the default that it chose', {}, async (t, visit) => {
    const { page, own, namespaceKey } = visit
    await apply(site.api, namespaceKey, ...theme())
    await page.goto(own('flags/theme'))
    await page.getByRole('combobox', { name: 'What everyone else gets' }).click()
    await page.getByRole('option', { name: 'green' }).click()
    const bar = page.getByRole('region', { name: 'Draft' })
    await bar.getByText('1 change').waitFor()
    await page.goto(own('flags/theme/variants?variant=blue'))
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Key').fill('navy')
    await panel.getByRole('button', { name: 'Save variant' }).click()
    await page.getByText('navy of Theme is saved').waitFor()
    const targeting = page.getByRole('link', { name: /^Targeting/ }).first()
    await targeting.click()
    await saveDraft(page, '1 change', namespaceKey)
    t.match((await stored(namespaceKey, 'theme')).variants, [
      { key: 'navy', default: false },
      { key: 'green', default: true },
    ])
  })

  await site.visit(t, 'settings are saved part by part', {}, async (t, visit) => {
    const { page, own, namespaceKey } = visit
    await apply(site.api, namespaceKey, ...theme())
    await page.goto(own('flags/theme/settings'))
    await page.getByLabel('Name', { exact: true }).fill('Colours')
    await page.keyboard.press('Enter')
    await page.getByText('It is called Colours now').waitFor()
    await page.getByLabel('Value of entry 1').fill('web')
    await page.keyboard.press('Enter')
    await page.getByText('owner of Colours is saved').waitFor()
    await page.getByLabel('Tags', { exact: true }).fill('experiment')
    await page.keyboard.press('Enter')
    await page.getByText('The tags of Colours are saved').waitFor()
    t.match(await stored(namespaceKey, 'theme'), {
      name: 'Colours',
      metadata: { owner: 'web', tags: ['web', 'experiment'] },
    })
    await page.getByRole('button', { name: 'Remove owner' }).click()
    await waitFor(() => hasFocus(page.getByRole('button', { name: 'Entry', exact: true })))
    await page.getByRole('button', { name: 'Show YAML' }).click()
    await page.getByRole('dialog').getByText('name: Colours').waitFor()
    await page.keyboard.press('Escape')

    const missing: string[] = []
    page.on('response', (answer) => {
      if (answer.status() === 404) missing.push(answer.url())
    })
    const keyboard = keyboardOf(page)
    await keyboard.to(page.getByRole('button', { name: 'Delete…' }))
    await keyboard.press('Enter')
    await page
      .getByText('With it go 3 variants and 1 rule. The segments that it uses stay.')
      .waitFor()
    await keyboard.to(page.getByRole('button', { name: 'Delete flag' }))
    await keyboard.press('Enter')
    await page.getByText(`Colours is deleted from ${namespaceKey}`).waitFor()
    t.equal((await read(namespaceKey, 'theme')).status, 404)
    t.strictSame(missing, [], 'the page does not ask for what is deleted')
    await undo(page, `Colours is deleted from ${namespaceKey}`)
    await page.waitForURL((url) => url.pathname.endsWith('/flags/theme'))
    t.match(await stored(namespaceKey, 'theme'), { name: 'Colours' })
  })

  await site.visit(
    t,
    'a boolean flag has none, and hostile texts are texts',
    {},
    async (t, visit) => {
      const { page, own, namespaceKey } = visit
      await apply(
        site.api,
        namespaceKey,
        booleanFlag('new-checkout'),
        variantFlag('hostile', [hostile], { name: hostile, metadata: { [hostile]: hostile } }),
      )
      await page.goto(own('flags/new-checkout/variants'))
      await page.getByText('This flag answers yes or no').waitFor()
      await page.goto(own('flags/hostile/variants'))
      const table = page.getByRole('region', { name: 'Variants' })
      await table.getByRole('button', { name: hostile }).first().click()
      t.equal(await page.getByRole('dialog').getByLabel('Key').inputValue(), hostile)
      await page.goto(own('flags/hostile/settings'))
      t.equal(await page.getByLabel('Value of entry 1').inputValue(), hostile)
    },
  )
})
