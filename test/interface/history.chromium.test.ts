import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { expectNoViolations } from './support/axe.ts'
import { apply, booleanFlag, everything } from './support/content.ts'
import { hasFocus, keyboardOf } from './support/keyboard.ts'
import { startSite } from './support/site.ts'

const hostile = '<img src=x onerror=alert(1)>"\'{{7*7}}\ue000\u202e'

t.test('what was changed', async (t) => {
  const site = await startSite(t)
  const flagOf = async (namespaceKey: string, key: string) => {
    const path = `/api/v1/namespaces/${namespaceKey}/documents/flags/${key}`
    const { status, body } = await site.api('GET', path)
    if (status !== 200) return undefined
    return (body as { readonly flag: { readonly enabled: boolean; readonly description: string } })
      .flag
  }
  const newestOf = async (namespaceKey: string) => {
    const { body } = await site.api('GET', `/api/v1/namespaces/${namespaceKey}/changes?limit=1`)
    return (body as { readonly changes: readonly { readonly revision: number }[] }).changes[0]
      ?.revision
  }
  const share = (percentage: number) => ({
    rollouts: [{ threshold: { percentage, value: true } }],
  })
  const patch = (namespaceKey: string, key: string, of: Readonly<Record<string, unknown>>) =>
    apply(site.api, namespaceKey, { kind: 'FLAG_KIND', key, patch: JSON.parse(JSON.stringify(of)) })

  await site.visit(t, 'is taken back, and so is that', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('checkout'))
    const revision = await patch(namespaceKey, 'checkout', { enabled: true })
    await page.goto(visit.own('changes'))
    const row = page.getByRole('row', { name: /turned the flag Checkout On/ })
    await row.getByRole('button', { name: /^Show change/ }).click()
    await row.getByText('Everyone else').first().waitFor()
    await expectNoViolations(t, page, 'a change')
    await row.getByRole('button', { name: 'Undo this change' }).click()
    const plan = page.getByRole('region', { name: `Take back change ${revision}?` })
    await plan.getByText('Everyone else gets:').waitFor()
    t.match(await flagOf(namespaceKey, 'checkout'), { enabled: true }, 'nothing is done yet')
    await expectNoViolations(t, page, 'the plan')
    await plan.getByLabel('Why').fill('incident 311')
    await plan.getByRole('button', { name: 'Take back' }).click()

    await page.getByText(`Checkout: change ${revision} is taken back`).waitFor()
    await page.getByText('Live on 1/1 gateways').waitFor()
    t.match(await flagOf(namespaceKey, 'checkout'), { enabled: false })
    const undone = page.getByRole('row', { name: `took back change ${revision} of Checkout` })
    await undone.getByText('“incident 311”').waitFor()

    const undo = await newestOf(namespaceKey)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('Taken back', { exact: true }).waitFor()
    t.match(await flagOf(namespaceKey, 'checkout'), { enabled: true })
    await page.getByRole('row', { name: `took back change ${undo} of Checkout` }).waitFor()
  })

  await site.visit(t, 'is taken back by keyboard alone', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const keys = keyboardOf(page)
    await apply(site.api, namespaceKey, booleanFlag('checkout', { description: 'one' }))
    const revision = await patch(namespaceKey, 'checkout', { description: 'two' })
    await page.goto(visit.own('flags/checkout/history'))
    const rail = page.getByRole('list', { name: 'Changes of Today' })
    await rail.getByText('changed the description').waitFor()
    await keys.press('j')
    const toggle = rail.getByRole('button', { name: `Show change ${revision}` })
    await waitFor(() => hasFocus(toggle))
    await keys.press('Enter')
    const hide = rail.getByRole('button', { name: `Hide change ${revision}` })
    await hide.waitFor()
    await keys.to(rail.getByRole('button', { name: 'Undo this change' }))
    await keys.press('Enter')
    const plan = page.getByRole('region', { name: `Take back change ${revision}?` })
    await plan.getByRole('button', { name: 'Take back' }).waitFor()
    await keys.to(plan.getByRole('button', { name: 'Cancel' }))
    await keys.press('Escape')
    await plan.waitFor({ state: 'detached' })
    t.ok(await hasFocus(hide), 'the focus is back')
    await keys.to(rail.getByRole('button', { name: 'Undo this change' }))
    await keys.press('Enter')
    await keys.to(plan.getByRole('button', { name: 'Take back' }))
    await keys.press('Enter')
    await rail.getByText(`took back change ${revision}`).waitFor()
    t.match(await flagOf(namespaceKey, 'checkout'), { description: 'one' })
    await rail.getByText('current', { exact: true }).waitFor()
  })

  await site.visit(t, 'is not taken back over later ones unasked', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('checkout', share(10)))
    const first = await patch(namespaceKey, 'checkout', share(20))
    const later = await patch(namespaceKey, 'checkout', share(30))
    await page.goto(visit.own(`changes?open=${first}`))
    await page.getByRole('button', { name: 'Undo this change' }).click()
    const plan = page.getByRole('region', { name: `Take back change ${first}?` })
    await plan.getByText('It was changed since').waitFor()
    await plan.getByText(`has changed since: rollouts (revision ${later})`).waitFor()
    await plan.getByRole('link', { name: `Change ${later}` }).waitFor()
    t.equal(await plan.getByRole('button', { name: 'Take back' }).count(), 0)
    await expectNoViolations(t, page, 'a conflict')
    await plan.getByRole('button', { name: 'Put back all of it' }).click()
    await plan.getByText('Later changes of the same objects go with it:').waitFor()
    await plan.getByRole('button', { name: 'Take back' }).click()
    await page.getByText(`Checkout: change ${first} is taken back`).waitFor()
    t.match(await flagOf(namespaceKey, 'checkout'), share(10))
  })

  await site.visit(t, 'leads to the version of a flag that is put back', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const first = await apply(site.api, namespaceKey, booleanFlag('checkout', share(10)))
    await patch(namespaceKey, 'checkout', { ...share(20), description: 'more' })
    const last = await patch(namespaceKey, 'checkout', { enabled: true })
    await page.goto(visit.own(`flags/checkout/history?open=${last}`))
    await page.getByText('current', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo this change' }).waitFor()
    const restore = page.getByRole('button', { name: 'Restore this version' })
    t.equal(await restore.count(), 0, 'it is like that already')
    await page.getByRole('button', { name: `Show change ${first}` }).click()
    await restore.click()
    const plan = page.getByRole('region', { name: `Put back the version of change ${first}?` })
    await plan.getByRole('button', { name: 'Put back' }).click()
    await page.getByText(`Checkout is as it was in change ${first}`).waitFor()
    await page.getByText(`put back version ${first}`).waitFor()
    t.match(await flagOf(namespaceKey, 'checkout'), {
      ...{ enabled: false, description: '', ...share(10) },
    })
  })

  await site.visit(t, 'is found by filters of the address', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, ...everything())
    const revision = await apply(site.api, namespaceKey, booleanFlag('alone'))
    await site.api('POST', `/api/v1/namespaces/${namespaceKey}/changes/${revision}/undo`, {})
    await page.goto(visit.own('changes'))
    const created = page.getByRole('row', { name: /created the flag Alone/ })
    await created.waitFor()
    await page.getByRole('button', { name: 'Came by' }).click()
    await page.getByRole('menuitemradio', { name: 'an undo' }).click()
    await created.waitFor({ state: 'detached' })
    await page.waitForURL(/source=undo/)
    await page.reload()
    await page.getByRole('row', { name: `took back change ${revision} of Alone` }).waitFor()
    t.equal(await created.count(), 0)
    await page.goto(visit.own('changes?until=2020-01-01'))
    await page.getByRole('heading', { name: 'Nothing matches these filters' }).waitFor()
    await expectNoViolations(t, page, 'nothing found')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await created.waitFor()
  })

  await site.visit(t, 'comes in pages', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    for (let count = 1; count <= 30; count++) {
      await apply(site.api, namespaceKey, booleanFlag(`flag-${count}`))
    }
    await page.goto(visit.own('changes'))
    await page.getByRole('row', { name: /created the flag Flag 30/ }).waitFor()
    t.equal(await page.getByRole('row', { name: /created the flag Flag 1$/ }).count(), 0)
    await page.getByRole('link', { name: 'Older' }).click()
    await page.getByText('Flag 1', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('Flag 1', { exact: true }).waitFor()
    t.equal(await page.getByRole('link', { name: 'Older' }).count(), 0)
    await page.getByRole('link', { name: 'Newest' }).click()
    await page.getByText('Flag 30', { exact: true }).waitFor()
  })

  await site.visit(t, 'is verified', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('checkout'))
    await page.goto(visit.own('changes'))
    await page.getByRole('button', { name: 'Verify' }).click()
    // The making of the namespace is the other one.
    await page.getByText('Intact: all 2 entries are as they were written').waitFor()
    await expectNoViolations(t, page, 'verified')
    t.pass('it says what it found')
  })

  await site.visit(t, 'by others is offered', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('checkout'))
    await page.goto(visit.own('changes'))
    await page.getByRole('row', { name: /created the flag Checkout/ }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await patch(namespaceKey, 'checkout', { enabled: true })
    await page.getByText('1 change was made by others').waitFor()
    const row = page.getByRole('row', { name: /turned the flag Checkout On/ })
    t.equal(await row.count(), 0, 'nothing moves by itself')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await row.waitFor()
  })

  await site.visit(t, 'is text, whatever it holds', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const flag = { ...booleanFlag('checkout'), flag: { name: hostile, type: 'BOOLEAN_FLAG_TYPE' } }
    await apply(site.api, namespaceKey, flag as ReturnType<typeof booleanFlag>)
    await patch(namespaceKey, 'checkout', {
      ...{ description: hostile, metadata: { [hostile]: hostile, tags: [hostile] } },
    })
    for (const path of ['changes', 'flags/checkout/history']) {
      await page.goto(visit.own(path))
      await page
        .getByRole('button', { name: /^Show change/ })
        .first()
        .click()
      await page.getByText('<img src=x').first().waitFor()
      await page.getByRole('button', { name: 'YAML' }).click()
      await page.getByRole('region', { name: /^Difference of/ }).waitFor()
    }
    t.pass('the browser had nothing to complain of')
  })

  await site.visit(
    t,
    'fits on a narrow screen',
    { viewport: { width: 320, height: 700 } },
    async (t, visit) => {
      const { page, namespaceKey } = visit
      await apply(site.api, namespaceKey, booleanFlag('checkout-with-a-rather-long-key'))
      const of = { kind: 'FLAG_KIND', key: 'checkout-with-a-rather-long-key' } as const
      const revision = await patch(namespaceKey, of.key, { description: 'x'.repeat(200) })
      for (const path of ['changes', `flags/${of.key}/history`]) {
        await page.goto(visit.own(`${path}?open=${revision}`))
        await page.getByRole('button', { name: 'Undo this change' }).click()
        await page.getByRole('button', { name: 'Take back' }).waitFor()
        const isWide = await page.evaluate<boolean>(
          'document.querySelector("#main").scrollWidth > document.querySelector("#main").clientWidth',
        )
        t.notOk(isWide, `${path} does not scroll sideways`)
      }
    },
  )
})
