import type { StoredSegment } from '@svc/client/api'
import { waitFor } from '@svc/runtime/testing'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { expectNoViolations } from './support/axe.ts'
import { apply, booleanFlag, inGermany, segment } from './support/content.ts'
import { barOf } from './support/draft.ts'
import { hasFocus, keyboardOf } from './support/keyboard.ts'
import { startSite } from './support/site.ts'
import { undo } from './support/toasts.ts'

const hostile = '"><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}'

const constraint = (page: Page, place: number): Locator =>
  page.getByRole('group', { name: `Constraint ${place}`, exact: true })

async function choose(page: Page, select: Locator, option: string): Promise<void> {
  await select.click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

async function save(page: Page, namespaceKey: string): Promise<void> {
  await page.getByRole('button', { name: 'Review and save' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Save to ${namespaceKey}` })
    .click()
  await page.getByText(/^Saved /).waitFor()
}

async function rename(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Edit details' }).click()
  const dialog = page.getByRole('dialog', { name: /^Details/ })
  await dialog.getByLabel('Name', { exact: true }).fill(name)
  await dialog.getByRole('button', { name: 'Save details' }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

t.test('segments', async (t) => {
  const site = await startSite(t)
  const stored = async (namespaceKey: string, key: string) => {
    const path = `/api/v1/namespaces/${namespaceKey}/documents/segments/${key}`
    const { body } = await site.api('GET', path)
    return (body as StoredSegment).segment
  }

  await site.visit(t, 'one is made, said in constraints, tried and saved', {}, async (t, visit) => {
    const { page, own, namespaceKey } = visit
    await page.goto(own('segments'))
    await page.getByRole('button', { name: 'Create the first segment' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Customers in Germany')
    await dialog.getByText('Free. It cannot be changed later.').waitFor()
    await dialog.getByRole('button', { name: 'Create segment' }).click()
    await page.getByRole('heading', { level: 1, name: 'Customers in Germany' }).waitFor()
    await page.getByText('It has no constraints, so it matches everyone.').waitFor()

    await page.getByRole('button', { name: 'Constraint', exact: true }).click()
    const first = constraint(page, 1)
    await first.getByLabel('Property').fill('country')
    await choose(page, first.getByLabel('Operator'), 'is one of')
    await first.getByLabel('Values', { exact: true }).fill('DE')
    await page.keyboard.press('Enter')
    // A column of a table is pasted: one line a value.
    await page.evaluate(`{
      const data = new DataTransfer()
      data.setData('text/plain', 'AT\\nDE\\nCH')
      document.activeElement.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    }`)
    await first.getByText('Added 2, 1 were there').waitFor()
    await first.getByText('3 of 100 values. Upper and lower case count.').waitFor()
    await first.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('button', { name: 'Constraint', exact: true }).click()
    const second = constraint(page, 2)
    await choose(page, second.getByLabel('Type'), 'Date')
    await second.getByLabel('Property').fill('signed_up')
    await choose(page, second.getByLabel('Operator'), 'is before')
    await second.getByLabel('Value', { exact: true }).fill('2026-06-01T00:00')
    await second.getByText('In UTC. 1 Jun 2026, 02:00 in your time.').waitFor()
    await second.getByRole('button', { name: 'Done' }).click()

    const box = page.getByRole('region', { name: 'Who is in it' })
    await box.getByLabel('Context').fill('country = DE\nsigned_up = 2026-06-14')
    await box.getByText('Not in it').waitFor()
    await box.getByText('1 of 2 match').waitFor()
    await box.getByLabel('Context').fill('{"country": "DE", "signed_up": "2026-05-14"}')
    await box.getByText('In it', { exact: true }).waitFor()

    await save(page, namespaceKey)
    const { constraints } = await stored(namespaceKey, 'customers-in-germany')
    t.match(constraints, [
      { property: 'country', operator: 'isoneof', value: '["DE","AT","CH"]' },
      { property: 'signed_up', operator: 'lt', value: '2026-06-01T00:00:00Z' },
    ])

    await undo(page, /^Saved /)
    await page.getByText('Taken back').waitFor()
    await page.getByText('It has no constraints, so it matches everyone.').waitFor()
  })

  await site.visit(t, 'types have their operators and say what is wrong', {}, async (t, visit) => {
    const { page, own, namespaceKey } = visit
    await apply(site.api, namespaceKey, segment('germany', [inGermany]))
    await page.goto(own('segments/germany'))
    await page.getByRole('button', { name: 'Constraint', exact: true }).click()
    const second = constraint(page, 2)
    await second.getByLabel('Property').fill('plan')
    await choose(page, second.getByLabel('Operator'), 'is not')
    await second.getByText('Never matches when plan is missing.').waitFor()
    await choose(page, second.getByLabel('Type'), 'Number')
    await second.getByLabel('Value', { exact: true }).fill('1_000')
    await second.getByText('1_000 is no number.').waitFor()
    await page.getByRole('button', { name: 'Review and save' }).click()
    t.equal(await page.getByRole('dialog').count(), 0, 'what is wrong is not reviewed')
    await choose(page, second.getByLabel('Type'), 'Entity')
    t.equal(await second.getByLabel('Property').count(), 0)
    await second.getByLabel('Operator').click()
    t.strictSame(await page.getByRole('option').allInnerTexts(), [
      ...['is', 'is not', 'is one of', 'is none of', 'contains', 'does not contain'],
    ])
    await page.keyboard.press('Escape')
    await choose(page, second.getByLabel('Type'), 'True or false')
    t.equal(await second.getByLabel('Value', { exact: true }).count(), 0)
    await expectNoViolations(t, page, 'a constraint that is open')

    await page.getByRole('button', { name: 'Remove constraint 1' }).click()
    await page.getByRole('button', { name: 'Restore' }).click()
    await waitFor(() => hasFocus(page.locator('[data-constraint-line]').first()))
    await page.getByText('1 change', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await constraint(page, 2).waitFor({ state: 'detached' })
    await undo(page, 'The changes are thrown away')
    await constraint(page, 2).waitFor()
    await page.reload()
    await constraint(page, 2).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await apply(site.api, namespaceKey, { kind: 'SEGMENT_KIND', key: 'germany', delete: true })
    await page.getByText('was deleted by others').waitFor()
    await constraint(page, 2).waitFor()
  })

  await site.visit(t, 'one that is used says by whom and stays', {}, async (t, visit) => {
    const { page, own, namespaceKey } = visit
    await apply(
      site.api,
      namespaceKey,
      segment('germany', [inGermany]),
      segment('everyone'),
      booleanFlag('new-checkout', {
        rollouts: [{ segment: { segments: ['germany'], value: true } }],
      }),
    )
    await page.goto(own('segments'))
    const row = page.getByRole('row', { name: /germany/ })
    await page
      .getByRole('row', { name: /everyone/ })
      .getByText('Matches everyone')
      .waitFor()
    await row.getByText('country is DE').waitFor()
    await row.getByRole('link', { name: '1 flag' }).click()
    await page.getByRole('link', { name: 'New checkout' }).waitFor()
    await page.goBack()
    await row.getByRole('button', { name: /More/ }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog', { name: /cannot be deleted/ })
    await dialog.getByRole('link', { name: 'New checkout' }).waitFor()
    await expectNoViolations(t, page, 'a segment that is used')
    await dialog.getByRole('button', { name: 'Close' }).last().click()

    await page
      .getByRole('row', { name: /everyone/ })
      .getByRole('button', { name: /More/ })
      .click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete segment' }).click()
    await page.getByRole('row', { name: /everyone/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('row', { name: /everyone/ }).waitFor()
  })

  await site.visit(t, 'two people edit one, and nothing is lost', {}, async (t, visit) => {
    const { page, own, namespaceKey } = visit
    const inPlan = { ...inGermany, property: 'plan', value: 'pro' }
    await apply(site.api, namespaceKey, segment('germany', [inGermany, inPlan]))
    await page.goto(own('segments/germany'))
    await page.getByRole('button', { name: /^country is/ }).click()
    await constraint(page, 1).getByLabel('Value', { exact: true }).fill('AT')
    const { constraints } = await stored(namespaceKey, 'germany')
    const theirs = constraints.map((one, place) => (place === 0 ? one : { ...one, value: 'basic' }))
    await apply(site.api, namespaceKey, {
      kind: 'SEGMENT_KIND',
      key: 'germany',
      patch: { constraints: theirs },
    })
    await page.getByText('Others have changed it meanwhile').waitFor()
    await page.getByRole('button', { name: 'Review and save' }).click()
    const conflict = page.getByRole('dialog', { name: /changed Germany/ })
    await conflict.getByText('plan is basic').waitFor()
    await conflict.getByRole('button', { name: 'Review the result' }).click()
    await page.getByRole('button', { name: `Save to ${namespaceKey}` }).click()
    await page.getByText(/^Saved /).waitFor()
    t.match((await stored(namespaceKey, 'germany')).constraints, [
      { value: 'AT' },
      { value: 'basic' },
    ])
    await page.goto(own('segments/no-such'))
    await page.getByRole('link', { name: 'Create “no-such”' }).click()
    const dialog = page.getByRole('dialog')
    t.equal(await dialog.getByLabel('Key').inputValue(), 'no-such')
  })

  await site.visit(t, 'a draft outlives new details, and asks', {}, async (t, visit) => {
    const { page, own, namespaceKey } = visit
    await apply(site.api, namespaceKey, segment('germany', [inGermany]))
    await page.goto(own('segments/germany'))
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^country is/ }).click()
    await constraint(page, 1).getByLabel('Value', { exact: true }).fill('AT')
    await rename(page, 'Austria')
    await barOf(page).getByText('1 change').waitFor()
    await barOf(page).getByRole('button', { name: 'Undo' }).click()
    await barOf(page).waitFor({ state: 'hidden' })
    await page.getByRole('heading', { level: 1, name: 'Austria' }).waitFor()

    await constraint(page, 1).getByLabel('Value', { exact: true }).fill('CH')
    const { constraints } = await stored(namespaceKey, 'germany')
    await apply(site.api, namespaceKey, {
      kind: 'SEGMENT_KIND',
      key: 'germany',
      patch: { constraints: [...constraints, { ...inGermany, property: 'plan', value: 'pro' }] },
    })
    await barOf(page).getByText('Others have changed it meanwhile').waitFor()
    await rename(page, 'Switzerland')
    await barOf(page).getByText('Others have changed it meanwhile').waitFor()
    await barOf(page).getByRole('button', { name: 'Review and save' }).click()
    const conflict = page.getByRole('dialog', { name: /changed Switzerland|changed Austria/ })
    await conflict.getByText('plan is pro').waitFor()
    await conflict.getByRole('button', { name: 'Review the result' }).click()
    await page.getByRole('button', { name: `Save to ${namespaceKey}` }).click()
    await page.getByText(/^Saved /).waitFor()
    t.match(await stored(namespaceKey, 'germany'), {
      name: 'Switzerland',
      constraints: [{ value: 'CH' }, { value: 'pro' }],
    })
  })

  await site.visit(t, 'details keep what others have written', {}, async (t, visit) => {
    const { page, own, namespaceKey } = visit
    const describe = (description: string) =>
      apply(site.api, namespaceKey, {
        kind: 'SEGMENT_KIND',
        key: 'germany',
        patch: { description },
      })
    await apply(site.api, namespaceKey, segment('germany', [inGermany]))
    await page.goto(own('segments/germany'))
    await page.getByText('Live', { exact: true }).waitFor()
    const dialog = page.getByRole('dialog', { name: /^Details/ })
    await page.getByRole('button', { name: 'Edit details' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('Austria')
    await describe('By Bob')
    await page.getByText('By Bob').waitFor()
    await dialog.getByRole('button', { name: 'Save details' }).click()
    await dialog.waitFor({ state: 'detached' })
    t.match(await stored(namespaceKey, 'germany'), { name: 'Austria', description: 'By Bob' })

    await page.getByRole('button', { name: 'Edit details' }).click()
    await dialog.getByLabel('Description').fill('By Alice')
    await describe('By Tom')
    await page.getByText('By Tom').waitFor()
    await dialog.getByRole('button', { name: 'Save details' }).click()
    await dialog.getByRole('alert').getByText('Description: “By Tom”').waitFor()
    t.match(await stored(namespaceKey, 'germany'), { description: 'By Tom' })
    await expectNoViolations(t, page, 'details that others have changed')
    await dialog.getByRole('button', { name: 'Save details' }).click()
    await dialog.waitFor({ state: 'detached' })
    t.match(await stored(namespaceKey, 'germany'), { name: 'Austria', description: 'By Alice' })
  })

  await site.visit(t, 'without a mouse', {}, async (t, visit) => {
    const { page, own, namespaceKey } = visit
    await apply(site.api, namespaceKey, segment('germany', [inGermany]))
    await page.goto(own('segments'))
    await page.getByRole('link', { name: /Germany/ }).waitFor()
    const keyboard = keyboardOf(page)
    await keyboard.press('j', 'Enter')
    const line = page.locator('[data-constraint-line]')
    await keyboard.to(line)
    await keyboard.press('Enter')
    const value = constraint(page, 1).getByLabel('Value', { exact: true })
    await keyboard.to(value)
    await keyboard.press('Control+a')
    await keyboard.type('AT')
    await keyboard.press('Escape')
    await waitFor(() => hasFocus(line))
    await keyboard.press('Control+s')
    await page.getByRole('dialog').waitFor()
    await keyboard.press('Control+Enter')
    await page.getByText(/^Saved /).waitFor()
    t.match(await stored(namespaceKey, 'germany'), { constraints: [{ value: 'AT' }] })
  })

  await site.visit(t, 'hostile texts are texts', {}, async (t, visit) => {
    const { page, own, namespaceKey } = visit
    const value = JSON.stringify([hostile])
    const hostileConstraint = { ...inGermany, operator: 'isoneof', property: hostile, value }
    await apply(site.api, namespaceKey, {
      kind: 'SEGMENT_KIND',
      key: 'hostile',
      segment: {
        name: hostile,
        description: hostile,
        constraints: [{ ...hostileConstraint, description: hostile }],
      },
    })
    await page.goto(own('segments'))
    await page.getByRole('link', { name: hostile }).click()
    await page.getByRole('heading', { level: 1, name: hostile }).waitFor()
    await page.locator('[data-constraint-line]').click()
    await page.getByLabel('Context').fill(`${hostile} = ${hostile}`)
    t.equal(await constraint(page, 1).getByLabel('Property').inputValue(), hostile)
  })
})
