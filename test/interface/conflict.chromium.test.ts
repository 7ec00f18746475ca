import { waitFor } from '@svc/runtime/testing'
import type { Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { expectNoViolations } from './support/axe.ts'
import { apply, booleanFlag, inGermany, segment } from './support/content.ts'
import { barOf, changesOf, review, reviewOf, saveButton } from './support/draft.ts'
import { hasFocus, keyboardOf } from './support/keyboard.ts'
import { type Site, signIn, startSite, type Visit } from './support/site.ts'

const percent = (percentage: number, value = true) => ({ threshold: { percentage, value } })
const inSegments = (...segments: readonly string[]) => ({ segment: { segments, value: true } })

interface Stored {
  readonly name: string
  readonly description: string
  readonly rollouts: readonly {
    readonly segment?: { readonly segments: readonly string[] }
    readonly threshold?: { readonly percentage: number }
  }[]
}

/** What each rollout is for, in their order. */
const saidOf = ({ rollouts }: Stored) =>
  rollouts.map(({ segment, threshold }) => segment?.segments.join() ?? `${threshold?.percentage}%`)

const setPercentage = async (page: Page, step: string, text: string) => {
  const field = page.getByRole('textbox', { name: `Percentage of ${step}` })
  await field.fill(text)
  await field.press('Tab')
}

const conflictOf = (page: Page): Locator => page.getByRole('dialog', { name: /^Tom changed/ })

t.test('two people change one flag', async (t) => {
  const site = await startSite(t)
  const flagOf = async (namespaceKey: string): Promise<Stored> => {
    const path = `/api/v1/namespaces/${namespaceKey}/documents/flags/checkout`
    return ((await site.api('GET', path)).body as { readonly flag: Stored }).flag
  }
  const comments = async (namespaceKey: string) =>
    (await changesOf(site.api, namespaceKey, 'FLAG_KIND', 'checkout')).map(({ comment }) => comment)

  await site.visit(t, 'in two browsers', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await begin(site, visit)
    await page.getByRole('combobox', { name: 'Add a segment to rollout 1' }).click()
    await page.getByRole('option', { name: /Staff/ }).click()
    await page.keyboard.press('Escape')
    await setPercentage(page, 'rollout 2', '50')
    await page.getByRole('button', { name: 'More for rollout 3' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await barOf(page).getByText('3 changes').waitFor()

    await asTom(site, t, visit, async (tom) => {
      await setPercentage(tom, 'rollout 2', '35')
      const dialog = await review(tom)
      await dialog.getByLabel('Why').fill('slowly')
      await saveButton(dialog).click()
      await tom.getByText('Saved Checkout').waitFor()
    })
    await apply(site.api, namespaceKey, {
      kind: 'FLAG_KIND',
      key: 'checkout',
      patch: { description: 'Ask Mara before raising it.' },
    })

    // Nothing has moved; the bar says so.
    await barOf(page)
      .getByText(/changed|others/i)
      .waitFor()
    t.equal(await page.getByRole('textbox', { name: 'Percentage of rollout 2' }).inputValue(), '50')
    await barOf(page).getByRole('button', { name: 'Review and save' }).click()
    const conflict = page.getByRole('dialog', { name: /changed Checkout/ })
    await conflict.getByText('Nothing was saved, nothing is lost.').waitFor()
    await expectNoViolations(t, page, 'a conflict')
    const rows = conflict.getByRole('row')
    const texts = await rows.allTextContents()
    t.match(texts[1], /Rollout 2.*25%.*35%.*50%/, 'first what is asked, with both versions')
    t.ok(texts.some((text) => /Rollout 1.*Germany.*not changed.*Germany or Staff/.test(text)))
    t.ok(texts.some((text) => /Rollout 3.*Old.*not changed.*removed/.test(text)))
    t.ok(texts.some((text) => /Description.*empty.*Ask Mara.*not changed/.test(text)))

    const keys = keyboardOf(page)
    await keys.to(conflict.getByRole('radio', { name: '50%' }))
    await keys.press('ArrowLeft')
    t.ok(await conflict.getByRole('radio', { name: '35%' }).isChecked())
    await keys.press('ArrowRight')
    t.ok(await conflict.getByRole('radio', { name: '50%' }).isChecked())
    await keys.to(conflict.getByRole('button', { name: 'Review the result' }))
    await keys.press('Enter')
    const dialog = reviewOf(page)
    await dialog.getByText('For 35% 50% of the rest, serve On.').waitFor()
    await expectNoViolations(t, page, 'the review of a merge')
    await dialog.getByLabel('Why').fill('as agreed')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Saved Checkout').waitFor()
    await page.getByText(/Live on 1\/1 gateways, \d+ ms/).waitFor()
    const heading = page.getByRole('heading', { level: 1, name: 'Checkout' })
    await waitFor(() => hasFocus(heading))

    const flag = await flagOf(namespaceKey)
    t.strictSame(saidOf(flag), ['germany,staff', '50%'])
    t.equal(flag.description, 'Ask Mara before raising it.', 'what fits is there')
    t.strictSame(await comments(namespaceKey), ['as agreed', '', 'slowly', ''])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Taken back').waitFor()
    t.strictSame(saidOf(await flagOf(namespaceKey)), ['germany', '35%', 'old'])
  })

  await site.visit(t, 'while one is about to save', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await begin(site, visit)
    await setPercentage(page, 'rollout 2', '50')
    const dialog = await review(page)
    await asTom(site, t, visit, async (tom) => {
      await setPercentage(tom, 'rollout 2', '35')
      await saveButton(await review(tom)).click()
      await tom.getByText('Saved Checkout').waitFor()
    })
    await dialog.getByText('It was changed by others meanwhile.').waitFor()
    t.ok(await dialog.getByText('For 25% 50% of the rest').isVisible(), 'what is read stays')
    await saveButton(dialog).click()
    await conflictOf(page).waitFor()
    t.strictSame(saidOf(await flagOf(namespaceKey)), ['germany', '35%', 'old'], 'it was refused')
    await conflictOf(page).getByRole('radio', { name: '35%' }).check()
    await conflictOf(page).getByRole('button', { name: 'Review the result' }).click()
    await conflictOf(page).waitFor({ state: 'detached' })
    await barOf(page).waitFor({ state: 'hidden' })
    t.equal(
      await page.getByRole('textbox', { name: 'Percentage of rollout 2' }).inputValue(),
      '35',
      'with theirs there is nothing to save',
    )
  })

  await site.visit(
    t,
    'and one sets the same, then less',
    {},
    async (t, { page, own, ...visit }) => {
      const { namespaceKey } = visit
      const serve = (...rollouts: readonly object[]) =>
        apply(site.api, namespaceKey, booleanFlag('checkout', { rollouts }))
      await serve(percent(20))
      await page.goto(own('flags/checkout'))
      await page.getByText('Live', { exact: true }).waitFor()
      await setPercentage(page, 'rollout 1', '50')
      await serve(percent(50))
      await serve(percent(5))
      await barOf(page)
        .getByText(/changed|others/i)
        .waitFor()
      await barOf(page).getByRole('button', { name: 'Review and save' }).click()
      const conflict = page.getByRole('dialog', { name: /changed Checkout/ })
      // It is compared with what people have now, not with what the draft was begun from.
      await conflict.getByText('On for about 50%, 5% before. Nobody who has it loses it.').waitFor()
      await conflict.getByRole('radio', { name: '50%' }).check()
      await serve(percent(80))
      await page.keyboard.press('Escape')
      await barOf(page).getByText('1 change').waitFor()
      await barOf(page).getByRole('button', { name: 'Review and save' }).click()
      await conflict.getByText('On for about 50%, 80% before. About 30% lose it.').waitFor()
      t.strictSame(saidOf(await flagOf(namespaceKey)), ['80%'], 'and nothing was saved')
    },
  )

  await site.visit(t, 'and one takes all of the other', {}, async (t, visit) => {
    const { page } = visit
    await begin(site, visit)
    await setPercentage(page, 'rollout 2', '50')
    await asTom(site, t, visit, async (tom) => {
      await setPercentage(tom, 'rollout 2', '35')
      await saveButton(await review(tom)).click()
      await tom.getByText('Saved Checkout').waitFor()
    })
    await barOf(page).getByText(/Tom/).waitFor()
    await barOf(page).getByRole('button', { name: 'Review and save' }).click()
    await conflictOf(page).getByRole('button', { name: 'Back to my draft' }).click()
    await barOf(page).getByText('1 change').waitFor()
    await barOf(page).getByRole('button', { name: 'Review and save' }).click()
    await conflictOf(page).getByRole('button', { name: 'Take all of Tom' }).click()
    await barOf(page).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await barOf(page).getByText('1 change').waitFor()
    t.equal(await page.getByRole('textbox', { name: 'Percentage of rollout 2' }).inputValue(), '50')
  })

  await site.visit(t, 'and one deletes it', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await begin(site, visit)
    await setPercentage(page, 'rollout 2', '50')
    const dialog = await review(page)
    await apply(site.api, namespaceKey, { kind: 'FLAG_KIND', key: 'checkout', delete: true })
    await saveButton(dialog).click()
    const deleted = page.getByRole('dialog', { name: /deleted Checkout/ })
    await deleted.getByRole('button', { name: 'Bring it back' }).click()
    await reviewOf(page).getByText('For 25% 50% of the rest').waitFor()
    await saveButton(reviewOf(page)).click()
    await page.getByText('Saved Checkout').waitFor()
    t.strictSame(saidOf(await flagOf(namespaceKey)), ['germany', '50%', 'old'])
  })

  await site.visit(t, 'with texts that want to be more', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const hostile = '<img src=x onerror="document.title=1">\ue010\ue013{{7*7}}'
    await begin(site, visit)
    await setPercentage(page, 'rollout 2', '50')
    await apply(site.api, namespaceKey, {
      kind: 'FLAG_KIND',
      key: 'checkout',
      patch: { name: hostile, metadata: { [hostile]: hostile } },
    })
    await barOf(page)
      .getByText(/changed|others/i)
      .waitFor()
    await barOf(page).getByRole('button', { name: 'Review and save' }).click()
    const conflict = page.getByRole('dialog', { name: /changed Checkout/ })
    await conflict.getByText('<img src=x').first().waitFor()
    t.equal(await conflict.locator('img').count(), 0)
    await conflict.getByRole('button', { name: 'Review the result' }).click()
    await reviewOf(page).getByRole('button', { name: 'YAML' }).click()
    const yaml = reviewOf(page).getByRole('region', { name: /as YAML/ })
    await yaml.getByText('<img src=x').first().waitFor()
    await yaml.getByText('percentage: 50').waitFor()
    t.equal(await reviewOf(page).locator('img').count(), 0)
  })
})

/** A flag, and its page. */
async function begin({ api }: Site, { page, namespaceKey, own }: Visit): Promise<void> {
  await apply(
    api,
    namespaceKey,
    ...['germany', 'staff', 'old'].map((key) => segment(key, [inGermany])),
    booleanFlag('checkout', {
      rollouts: [
        inSegments('germany'),
        percent(25),
        { segment: { segments: ['old'], value: false } },
      ],
    }),
  )
  await page.goto(own('flags/checkout'))
  await page.getByText('Live', { exact: true }).waitFor()
}

/** On the page of the same flag, in a browser of his own. */
async function asTom(
  site: Site,
  t: Test,
  { own }: Visit,
  run: (page: Page) => Promise<void>,
): Promise<void> {
  const { body, text } = await site.api('POST', '/auth/v1/method/token', { name: 'Tom' })
  const { clientToken } = body as { readonly clientToken?: string }
  if (clientToken === undefined) throw new Error(text)
  const options = { isSignedIn: false, hasNamespace: false }
  await site.visit(t, 'by Tom', options, async (_t, { page, secrets }) => {
    secrets.add(clientToken)
    await page.goto(own('flags/checkout'))
    await signIn(page, clientToken)
    await run(page)
  })
}
