import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import t from 'tap'
import { expectNoViolations } from './support/axe.ts'
import { apply, booleanFlag, inGermany, segment } from './support/content.ts'
import { startSite } from './support/site.ts'
import { percent, readFlag } from './support/targeting.ts'

const choose = (page: Page, name: string, text: string) =>
  page
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'text/yaml', buffer: Buffer.from(text) })

t.test('files of flags', async (t) => {
  const site = await startSite(t)
  const content = [
    segment('germany', [inGermany]),
    booleanFlag('checkout', { enabled: true, rollouts: [percent(25)] }),
    booleanFlag('old-search'),
  ]
  const keysOf = async (namespaceKey: string) => {
    const { body } = await site.api('GET', `/api/v1/namespaces/${namespaceKey}/flags?sort=key`)
    return (body as { readonly flags: readonly { readonly key: string }[] }).flags.map(
      (one) => one.key,
    )
  }

  await site.visit(t, 'are written, and read again', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, ...content)
    await page.goto(visit.own('flags'))
    await page.getByRole('link', { name: 'Import and export' }).click()
    await page.getByRole('heading', { level: 1, name: 'Import and export' }).waitFor()
    await page.getByRole('navigation', { name: 'Import and export' }).getByText('Export').click()
    await page.getByText(`key: ${namespaceKey}`).waitFor()
    await expectNoViolations(t, page, 'export')
    const choice = page.getByRole('checkbox', { name: new RegExp(namespaceKey) })
    await choice.click()
    await page.getByText('Choose a namespace.').first().waitFor()
    await page.reload()
    await page.getByText('Choose a namespace.').first().waitFor()
    t.equal(await choice.getAttribute('aria-checked'), 'false')
    await choice.click()
    await page.getByText(`key: ${namespaceKey}`).waitFor()
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: /^Download \d+ KiB/ }).click()
    const download = await waiting
    t.equal(download.suggestedFilename(), `${namespaceKey}.yml`)
    const text = await readFile(await download.path(), 'utf8')
    t.match(text, /^version: "1.4"\nnamespace:\n {2}key: /)
    t.match(text, /- key: checkout\n/)

    await page.getByRole('navigation', { name: 'Import and export' }).getByText('Import').click()
    await choose(page, 'flags.yml', text)
    await page.getByText('Nothing would change.').first().waitFor()
    const button = page.getByRole('button', { name: 'Apply 0 changes' })
    t.equal(await button.getAttribute('aria-disabled'), 'true')
    await page.getByRole('button', { name: 'Another file' }).click()

    const others = text
      .replace('percentage: 25', 'percentage: 40')
      .replace(
        /- key: old-search\n(?: {2}.*\n)*/,
        '- key: express\n  name: Express\n  type: BOOLEAN_FLAG_TYPE\n  enabled: true\n',
      )
    await choose(page, 'flags.yml', others)
    await page.getByText('Raised rollout 1', { exact: false }).waitFor()
    const table = page.getByRole('region', { name: 'In words' })
    t.strictSame(await table.getByRole('row').locator('td:nth-child(1)').allTextContents(), [
      'new',
      'changed',
      'only here',
    ])
    await page.getByRole('button', { name: 'Details of Checkout' }).click()
    await table.getByText('25%').first().waitFor()
    await expectNoViolations(t, page, 'import')
    await page.getByRole('checkbox', { name: /^Leave what exists alone/ }).click()
    await page.getByRole('button', { name: 'Apply 1 change' }).waitFor()
    await page.getByRole('checkbox', { name: /^Leave what exists alone/ }).click()
    await page.getByRole('checkbox', { name: /^Delete what the file lacks/ }).click()
    await page.getByLabel('Why').fill('from git')
    await page.getByRole('button', { name: 'Apply 3 changes' }).click()
    const question = page.getByRole('alertdialog', { name: /^Apply to/ })
    await question.getByText('old-search').waitFor()
    await expectNoViolations(t, page, 'the question')
    t.strictSame(await keysOf(namespaceKey), ['checkout', 'old-search'], 'nothing is done yet')
    await question.getByRole('button', { name: 'Apply 3 changes' }).click()
    await page.getByText('The file is applied to').waitFor()
    t.strictSame(await keysOf(namespaceKey), ['checkout', 'express'])
    t.match(await readFlag(site.api, namespaceKey, 'checkout'), {
      rollouts: [{ threshold: { percentage: 40 } }],
    })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Taken back').waitFor()
    t.strictSame(await keysOf(namespaceKey), ['checkout', 'old-search'])
  })

  await site.visit(t, 'with mistakes say where', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await page.goto('/import')
    await choose(page, 'flags.yml', 'flags:\n- key: a b\n  name: <img src=x onerror=alert(1)>\n')
    await page.getByText('The file has a mistake').waitFor()
    await page.getByText(/^flags\.yml:2:8: flags\[0\]\.key/).waitFor()
    await choose(page, 'flags.yml', '')
    await page.getByText('There is neither a flag nor a segment in it.').waitFor()
    await expectNoViolations(t, page, 'a mistake')
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'old.yml', mimeType: 'text/yaml', buffer: Buffer.from([0x61, 0xfc]) })
    await page.getByText('old.yml: is not UTF-8').waitFor()
    // A namespace that there is not is made with the file.
    const key = `${namespaceKey}-new`
    await choose(
      page,
      'new.json',
      JSON.stringify({ namespace: key, flags: [{ key: 'a', name: 'A' }] }),
    )
    await page.getByRole('combobox', { name: 'Into' }).getByText(`New: ${key}`).waitFor()
    await page.getByRole('button', { name: 'Apply 1 change' }).click()
    await page.getByText('The file is applied to').waitFor()
    t.strictSame(await keysOf(key), ['a'])
  })

  await site.visit(t, 'are planned anew when others are quicker', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, ...content)
    await page.goto('/import')
    const text = `namespace: ${namespaceKey}\nflags:\n- {key: checkout, name: Cash desk, type: BOOLEAN_FLAG_TYPE}\n`
    await choose(page, 'flags.yml', text)
    await page.getByRole('button', { name: 'Apply 1 change' }).waitFor()
    await apply(site.api, namespaceKey, {
      kind: 'FLAG_KIND',
      key: 'checkout',
      patch: { description: 'DO NOT TOUCH' },
    })
    await page.getByRole('button', { name: 'Apply 1 change' }).click()
    await page.getByText('Others have changed something meanwhile.', { exact: false }).waitFor()
    t.match(await readFlag(site.api, namespaceKey, 'checkout'), { description: 'DO NOT TOUCH' })
    await page.getByRole('button', { name: 'Details of Cash desk' }).click()
    await page.getByText('DO NOT TOUCH').first().waitFor()
  })
})
