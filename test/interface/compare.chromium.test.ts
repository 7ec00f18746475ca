import t from 'tap'
import { expectNoViolations } from './support/axe.ts'
import { apply, booleanFlag, inGermany, segment } from './support/content.ts'
import { startSite } from './support/site.ts'
import { inSegments, percent, readFlag } from './support/targeting.ts'

t.test('two namespaces', async (t) => {
  const site = await startSite(t)
  /** Another namespace beside that of the test. */
  const makeStaging = async (namespaceKey: string) => {
    const key = `${namespaceKey}-stage`
    const { status, text } = await site.api('POST', '/api/v1/namespaces', { key, name: 'Staging' })
    if (status !== 200) throw new Error(text)
    return key
  }
  const staff = segment('staff', [{ ...inGermany, value: 'AT' }])
  const detailsOf = async (namespaceKey: string) => {
    const { body } = await site.api('GET', `/api/v1/namespaces/${namespaceKey}/changes?limit=1`)
    return (body as { readonly changes: readonly object[] }).changes[0]
  }

  await site.visit(t, 'are compared, and one takes over', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const staging = await makeStaging(namespaceKey)
    await apply(
      site.api,
      staging,
      segment('premium', [inGermany]),
      segment('staff', [inGermany]),
      booleanFlag('checkout', { enabled: true, rollouts: [inSegments('staff')] }),
      booleanFlag('express', { enabled: true, rollouts: [inSegments('premium'), percent(50)] }),
      booleanFlag('same', { enabled: true }),
    )
    await apply(
      site.api,
      namespaceKey,
      staff,
      booleanFlag('checkout', { rollouts: [percent(31)] }),
      booleanFlag('same', { enabled: true }),
      booleanFlag('own'),
    )
    await page.goto(visit.own('flags'))
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await page.getByRole('combobox', { name: 'From' }).click()
    await page.getByRole('option', { name: 'Staging' }).click()
    await page.getByRole('combobox', { name: 'To' }).click()
    await page.getByRole('option', { name: namespaceKey, exact: true }).click()
    const table = page.getByRole('region', { name: 'Flags' })
    await table.getByText('On for 31%').waitFor()
    t.strictSame(await table.getByRole('row').locator('td:nth-child(4)').allTextContents(), [
      'differs',
      'new',
      'only there',
      'same',
    ])
    await expectNoViolations(t, page, 'compare')
    await table.getByRole('checkbox', { name: 'Take over Checkout' }).click()
    await table.getByRole('checkbox', { name: 'Take over Express' }).click()
    await page.getByRole('button', { name: /^Review for/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('New segment.').waitFor()
    await dialog.getByText('Because Express needs it.').waitFor()
    await dialog.getByText('Staff is not the same in both.', { exact: false }).waitFor()
    await dialog.getByText('3 changes, saved together or not at all.', { exact: false }).waitFor()
    await expectNoViolations(t, page, 'the review')
    t.match(await readFlag(site.api, namespaceKey, 'checkout'), { rollouts: [{ threshold: {} }] })
    await dialog.getByLabel('Why').fill('release 7')
    await dialog.getByRole('button', { name: /^Save to/ }).click()
    await page.getByText('3 changes are saved to').waitFor()
    const checkout = await readFlag(site.api, namespaceKey, 'checkout')
    t.match(checkout, { enabled: false, rollouts: [{ segment: { segments: ['staff'] } }] })
    t.match(await detailsOf(namespaceKey), {
      comment: 'release 7',
      details: { from: new RegExp(`^${staging}:\\d+$`) },
    })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Taken back').waitFor()
    t.match(await readFlag(site.api, namespaceKey, 'checkout'), { rollouts: [{ threshold: {} }] })
  })

  await site.visit(t, 'that both changed ask whose is kept', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const staging = await makeStaging(namespaceKey)
    const describe = (key: string, description: string) =>
      apply(site.api, key, { kind: 'FLAG_KIND', key: 'checkout', patch: { description } })
    await apply(site.api, staging, booleanFlag('checkout'))
    await page.goto(`/ns/${staging}/flags/checkout`)
    await page.getByRole('button', { name: 'More for Checkout' }).click()
    await page.getByRole('menuitem', { name: 'Copy to a namespace…' }).click()
    await page.getByRole('combobox', { name: 'To' }).click()
    await page.getByRole('option', { name: namespaceKey, exact: true }).click()
    await page.getByRole('checkbox', { name: 'Take over Checkout' }).click()
    await page.getByRole('button', { name: /^Review for/ }).click()
    await page.getByText('New flag, off at first.').waitFor()
    await page.getByRole('button', { name: /^Save to/ }).click()
    await page.getByText('1 change is saved to').waitFor()

    await describe(staging, 'of staging')
    await describe(namespaceKey, 'of production')
    await page.reload()
    await page.getByRole('checkbox', { name: 'Take over Checkout' }).click()
    await page.getByRole('button', { name: /^Review for/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Both have changed it since it was taken over last.').waitFor()
    const save = dialog.getByRole('button', { name: /^Save to/ })
    t.equal(await save.getAttribute('aria-disabled'), 'true')
    await dialog.getByRole('button', { name: 'Take that of Staging' }).click()
    await dialog.getByText('1 change. Nothing is deleted.').waitFor()
    // Others are quicker: what is shown then is of that.
    await describe(namespaceKey, 'of production, again')
    await save.click()
    await dialog.getByText('Others have changed something meanwhile.', { exact: false }).waitFor()
    t.match(await readFlag(site.api, namespaceKey, 'checkout'), {
      description: 'of production, again',
    })
    await save.click()
    await page.getByText('1 change is saved to').waitFor()
    t.match(await readFlag(site.api, namespaceKey, 'checkout'), { description: 'of staging' })
  })
})
