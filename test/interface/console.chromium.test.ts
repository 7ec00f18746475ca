import { execFile as execFileCallback } from 'node:child_process'
import { promisify } from 'node:util'
import { waitFor } from '@svc/runtime/testing'
import type { Page } from 'playwright-core'
import t from 'tap'
import { assetNames, isEditor } from './support/assets.ts'
import { expectNoViolations, untilTrue } from './support/axe.ts'
import { apply, booleanFlag, everything, segment, variantFlag } from './support/content.ts'
import { hasFocus, keyboardOf } from './support/keyboard.ts'
import { startSite } from './support/site.ts'

const execFile = promisify(execFileCallback)

/** Texts that are harmless only where they stay texts. */
const hostile = '"><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}'

const answerOf = (page: Page) => page.getByRole('status', { name: 'Answer' })
const wayOf = (page: Page) => page.getByRole('list', { name: 'The way to the answer' })

t.test('the console', async (t) => {
  const site = await startSite(t)

  await site.visit(t, 'says why a flag answers as it does', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, ...everything())
    await page.goto(visit.own('console'))
    await page.getByRole('combobox', { name: 'Flag' }).click()
    await page.getByRole('option', { name: /New checkout/ }).click()
    // At 81.756 of 100.
    await page.getByLabel('Entity', { exact: true }).fill('bob')
    await page.getByRole('button', { name: 'Evaluate' }).click()
    await answerOf(page).getByText('Off, because no rollout matches').waitFor()
    const way = wayOf(page)
    await way.getByText('If in Beta users or Germany').waitFor()
    await way.getByText('in neither').waitFor()
    await way.getByText('email ends with @example.com').waitFor()
    await way.getByText('not in the context').first().waitFor()
    await way.getByText('For 25%').waitFor()
    await way.getByText(/^bucket [\d.]+, not below 25%$/).waitFor()
    await expectNoViolations(t, page, 'an answer')

    await way.getByRole('button', { name: 'Add country to the context' }).click()
    await page.getByLabel('Value of country').fill('DE')
    await page.keyboard.press('Control+Enter')
    await answerOf(page).getByText('On, because of rollout 1').waitFor()
    await answerOf(page).getByText('bob is in Germany.').waitFor()
    await way.getByText('not reached').first().waitFor()

    const address = page.url()
    t.match(address, /flag=new-checkout&entity=bob&context=/)
    await page.reload()
    await answerOf(page).getByText('On, because of rollout 1').waitFor()
    t.equal(await page.getByLabel('Value of country').inputValue(), 'DE')
    await page.getByRole('region', { name: 'Asked lately' }).getByText('country DE').waitFor()

    await page.getByRole('button', { name: 'Raw JSON' }).click()
    await page.getByText('"verdict": "MATCHED_VERDICT"').waitFor()
    await expectNoViolations(t, page, 'raw JSON')

    await page.getByRole('button', { name: 'Path', exact: true }).click()
    await way.getByRole('link', { name: 'For 25%' }).click()
    await page.waitForURL('**/flags/new-checkout#rule-2')
    await untilTrue(page, `document.activeElement?.closest('[data-step]') !== null`)
  })

  await site.visit(t, 'is asked by keyboard alone', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const keys = keyboardOf(page)
    await apply(site.api, namespaceKey, ...everything())
    await page.goto(visit.own('flags'))
    await page.getByRole('link', { name: 'Theme' }).waitFor()
    await keys.press('g', 'c')
    await page.getByRole('heading', { name: 'Console', level: 1 }).waitFor()
    await keys.to(page.getByRole('combobox', { name: 'Flag' }))
    await keys.press('Enter')
    await page.getByRole('combobox', { name: 'Search flags' }).waitFor()
    await keys.type('theme')
    await untilTrue(page, `document.querySelectorAll('[role=option]').length === 1`)
    await keys.press('Enter')
    await answerOf(page)
      .getByText(/^blue|^green/)
      .waitFor()
    await keys.to(page.getByRole('button', { name: 'JSON', exact: true }))
    await keys.press('Enter')
    const editor = page.getByRole('textbox', { name: 'Context' })
    await page.locator('[data-json-editor]').waitFor()
    await keys.to(page.locator('[data-json-editor]'))
    t.ok(await hasFocus(page.locator('[data-json-editor]')), 'the editor has the focus')
    // Letters in the editor are no shortcuts.
    await keys.type('{"country": "DE", "g c": 1')
    t.match(page.url(), /\/console/)
    await page.getByText('It has to be a JSON object').waitFor()
    await keys.type('}')
    await keys.press('Control+Enter')
    await page.waitForURL(/context=/)
    await answerOf(page)
      .getByText(/because of rule 1|because rule 1 leaves a rest/)
      .waitFor()
    await keys.press('Tab')
    t.notOk(await hasFocus(page.locator('[data-json-editor]')), 'Tab leaves the editor')
    t.match(await editor.textContent(), /"country": "DE"/)
    await expectNoViolations(t, page, 'with the editor')
  })

  await site.visit(
    t,
    'shows the rest of a split, and what is switched off',
    {},
    async (t, visit) => {
      const { page, namespaceKey } = visit
      await apply(
        site.api,
        namespaceKey,
        segment('everyone'),
        variantFlag('theme', ['blue', 'red'], {
          rules: [{ segments: ['everyone'], distributions: [{ variant: 'red', rollout: 1 }] }],
        }),
        variantFlag('disabled', ['one', 'two'], { enabled: false }),
        booleanFlag('stopped', {
          enabled: true,
          rollouts: [{ threshold: { percentage: 100, value: false } }],
        }),
      )
      await page.goto(visit.own('console?flag=theme&entity=ada'))
      await answerOf(page).getByText('blue, because rule 1 leaves a rest').waitFor()
      await wayOf(page)
        .getByText('The other 99% get the default, blue. Later rules are not asked.')
        .waitFor()
      await wayOf(page).getByText('has no constraints: everyone is in it').waitFor()

      await page.goto(visit.own('console?flag=disabled&entity=ada'))
      await answerOf(page).getByText('one, because the flag is disabled').waitFor()
      await wayOf(page).getByText('Disabled: everyone gets one').waitFor()

      await page.goto(visit.own('console?flag=stopped&entity=ada'))
      await answerOf(page).getByText('Off, because of rollout 1').waitFor()
      await wayOf(page).getByText('Everyone else gets On').waitFor()

      await page.goto(visit.own('console?flag=gone&entity=ada'))
      await page.getByText('There is no flag gone in this namespace.').waitFor()
      await expectNoViolations(t, page, 'no such flag')
    },
  )

  await site.visit(t, 'asks every flag where there is none', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await page.goto(visit.own('console?all'))
    await page.getByRole('heading', { name: `No flags in ${namespaceKey} yet` }).waitFor()
    await expectNoViolations(t, page, 'no flags')
    await apply(site.api, namespaceKey, booleanFlag('checkout'))
    await page.goto(visit.own('console?all&page=99'))
    await page.getByRole('link', { name: 'Ask Checkout' }).waitFor()
    t.notMatch(page.url(), /page=/)
  })

  await site.visit(t, 'asks every flag at once', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, ...everything())
    await page.goto(visit.own('console?all&entity=ada&context={"country":"DE"}'))
    const row = page.getByRole('row', { name: /New checkout/ })
    await row.getByText('because of Germany').waitFor()
    await page
      .getByRole('row', { name: /Disabled/ })
      .getByRole('cell', { name: 'disabled', exact: true })
      .waitFor()
    await expectNoViolations(t, page, 'every flag')
    await row.getByRole('link').click()
    await answerOf(page).getByText('On, because of rollout 1').waitFor()
  })

  await site.visit(t, 'follows what others change', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, booleanFlag('payments'))
    await page.goto(visit.own('console?flag=payments&entity=ada'))
    await answerOf(page).getByText('Off, because there is no rollout').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    const patch = { enabled: true }
    await apply(site.api, namespaceKey, { kind: 'FLAG_KIND', key: 'payments', patch })
    await answerOf(page).getByText('On, because there is no rollout').waitFor()
    t.pass()
  })

  const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] }
  await site.visit(t, 'copies commands that say the same', clipboard, async (t, visit) => {
    const { page, namespaceKey } = visit
    await apply(site.api, namespaceKey, ...everything())
    await page.goto(visit.own('console?flag=theme&entity=ada&context={"country":"DE"}'))
    await answerOf(page).waitFor()
    for (const [name, expected] of [
      ['curl, to evaluate', /"variantKey":"(blue|red)"/],
      ['curl, to explain', /"decidedBy":\s*1/],
      ['curl, by OFREP', /"variant":\s*"(blue|red)"/],
    ] as const) {
      await page.getByRole('button', { name: 'Copy as' }).click()
      await page.getByRole('menuitem', { name }).click()
      await page.getByText('The token stands in $SVC_TOKEN').first().waitFor()
      const command = await page.evaluate<string>('navigator.clipboard.readText()')
      t.match(await run(command, site.token), expected, name)
    }
  })

  await site.visit(t, 'takes JSON in a text area without the editor', {}, async (t, visit) => {
    const { page, namespaceKey, context } = visit
    const editor = assetNames().filter(isEditor)
    t.equal(editor.length, 1)
    await context.route(`**/assets/${editor[0]}`, (route) => route.abort())
    await apply(site.api, namespaceKey, ...everything())
    await page.goto(visit.own('console?flag=new-checkout&entity=bob'))
    await page.getByRole('button', { name: 'JSON', exact: true }).click()
    const area = page.getByRole('textbox', { name: 'Context' })
    await area.fill('{"country": "DE"}')
    t.equal(await page.locator('textarea').and(area).count(), 1)
    await area.press('Control+Enter')
    await answerOf(page).getByText('On, because of rollout 1').waitFor()
    await expectNoViolations(t, page, 'without the editor')
  })

  await site.visit(t, 'shows hostile texts as texts', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const constraint = {
      property: hostile,
      type: 'STRING_COMPARISON_TYPE',
      operator: 'isoneof',
      value: JSON.stringify([hostile]),
    } as const
    const named = segment('hostile', [constraint])
    await apply(
      site.api,
      namespaceKey,
      { ...named, segment: { ...named.segment, name: hostile } },
      variantFlag('theme', [hostile], {
        name: hostile,
        variants: [
          { key: hostile, default: true, attachment: JSON.stringify({ [hostile]: hostile }) },
        ],
        rules: [{ segments: ['hostile'], distributions: [{ variant: hostile, rollout: 100 }] }],
      }),
    )
    const context = encodeURIComponent(JSON.stringify({ [hostile]: hostile }))
    const entity = encodeURIComponent(hostile)
    await page.goto(visit.own(`console?flag=theme&entity=${entity}&context=${context}`))
    await answerOf(page).getByText(`${hostile}, because of rule 1`).waitFor()
    await wayOf(page).getByText(hostile).first().waitFor()
    await page.getByRole('button', { name: 'JSON', exact: true }).click()
    await page.locator('[data-json-editor]').getByText('{{7*7}}').first().waitFor()
    await page.getByRole('button', { name: 'Raw JSON' }).click()
    await page
      .getByLabel('The answer as JSON')
      .or(page.getByText('"flagKey": "theme"'))
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Evaluate' }).click()
    await page.goto(visit.own(`console?all&entity=${entity}&context=${context}`))
    await page.getByRole('row').getByText(hostile).first().waitFor()
    t.equal(await page.locator('img').count(), 0)
  })
})

t.test('Try it, beside the targeting', async (t) => {
  const site = await startSite(t)

  await site.visit(t, 'asks the draft before it is saved', {}, async (t, visit) => {
    const { page, namespaceKey } = visit
    const rollouts = [{ threshold: { percentage: 1, value: true } }]
    await apply(site.api, namespaceKey, booleanFlag('payments', { rollouts }))
    await page.goto(visit.own('flags/payments'))
    const tryIt = page.getByRole('region', { name: 'Try it' })
    await tryIt.getByLabel('Entity', { exact: true }).fill('ada')
    await answerOf(page).getByText('Off, because no rollout matches').waitFor()
    await expectNoViolations(t, page, 'Try it')

    const share = page.getByRole('textbox', { name: /share|percentage|rollout/i }).first()
    await share.fill('100')
    await share.press('Enter')
    await answerOf(page).getByText('On, because of rollout 1').waitFor()
    const { body } = await site.api('POST', '/evaluate/v1/boolean', {
      namespaceKey,
      flagKey: 'payments',
      entityId: 'ada',
    })
    t.match(body, { enabled: false }, 'nothing is saved')

    await page.reload()
    t.equal(await tryIt.getByLabel('Entity', { exact: true }).inputValue(), 'ada', 'it is kept')
    await answerOf(page).getByText('On, because of rollout 1').waitFor()
    await wayOf(page).getByRole('button', { name: 'For 100%' }).click()
    await waitFor(() => page.evaluate(`document.activeElement?.closest('[data-step]') !== null`))

    // What is typed in the context is taken back there alone.
    await tryIt.getByRole('button', { name: 'JSON', exact: true }).click()
    await tryIt.locator('[data-json-editor]').click()
    await page.keyboard.type('{')
    for (const _ of [1, 2, 3]) await page.keyboard.press('Control+z')
    t.ok(await page.getByRole('region', { name: 'Draft' }).isVisible(), 'the draft is left alone')
  })
})

/** A command of the page, as a shell runs it. */
async function run(command: string, token: string): Promise<string> {
  const { stdout } = await execFile('sh', ['-c', `${command} -s`], {
    env: { PATH: process.env.PATH, SVC_TOKEN: token },
    timeout: 10_000,
  })
  return stdout
}
