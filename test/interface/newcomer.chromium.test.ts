import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { startSite } from './support/site.ts'

const users = Array.from({ length: 1000 }, (_, place) => `user-${place}`)

t.test('a newcomer', async (t) => {
  const site = await startSite(t)
  const share = async (country: string) => {
    const { body } = await site.api('POST', '/evaluate/v1/batch', {
      requests: users.map((entityId) => ({
        namespaceKey: 'default',
        flagKey: 'start-page',
        entityId,
        context: { country },
      })),
    })
    const { responses } = body as {
      readonly responses: readonly { variantResponse?: { readonly variantKey: string } }[]
    }
    const keys = responses.map(({ variantResponse }) => variantResponse?.variantKey)
    return keys.filter((key) => key === 'new').length / keys.length
  }

  // From the empty database, by what is to be read on the page alone: no role, no name that only screen readers say, no
  // address but the first one.
  const empty = { isSignedIn: false, hasNamespace: false }
  await site.visit(t, 'gives new to 25% of users in Germany', empty, async (t, { page }) => {
    const person = newcomer(page)
    await page.goto('/')
    await person.fill('Token', site.token)
    await person.press('Sign in', 'last')

    await person.read('No flags in Default yet')
    await person.press('Create the first flag')
    await person.read('What does your code need?')
    await person.press('One of several')
    await person.fill('Name', 'Start page')
    await person.read('The first one is the default: everyone gets it at first.')
    await person.fill('Variants', 'current,new,')
    await person.press('Create flag', 'last')

    await person.read('Everyone gets the default. A rule gives other variants to a segment.')
    await person.press('Segments')
    await person.read('customers in Germany')
    await person.press('Create the first segment')
    await person.fill('Name', 'Germany')
    await person.press('Create segment', 'last')

    await person.read('It has no constraints, so it matches everyone.')
    await person.press('Constraint', 'last')
    await person.press('country', 'last', true)
    await person.type('country', 'Tab', 'Tab', 'DE')
    await person.press('Done')
    await person.press('Review and save')
    await person.read('country is DE')
    await person.press('Save to Default')
    await person.read('Saved Germany to Default')

    await person.press('Flags')
    await person.press('Start page')
    await person.press(/^Rule$/)
    await person.press(/^Germany$/, 'last')
    await person.press(/^new$/)
    await person.press('a split', 'last')
    await person.fillBeside(/^new/, '25')
    await person.read('The other 25% get the default, current. Later rules are not asked.')
    await person.press('Give it to current')
    await person.read('Total 100%')
    await person.press('Review and save')
    await person.press('Save to Default')
    await person.read('Saved Start page to Default')

    const { body } = await site.api('GET', '/api/v1/namespaces/default/documents/flags/start-page')
    t.match(body, {
      flag: {
        rules: [
          {
            segments: ['germany'],
            distributions: [
              { variant: 'new', rollout: 25 },
              { variant: 'current', rollout: 75 },
            ],
          },
        ],
      },
    })
    const inGermany = await share('DE')
    t.ok(Math.abs(inGermany - 0.25) < 0.05, `${inGermany} of them get new`)
    t.equal(await share('FR'), 0, 'nobody elsewhere')
  })
})

/** Smaller than this nothing can be read, in pixels. */
const minSize = 8

/** Somebody who has never seen a feature flag, and acts on what stands on the screen. */
function newcomer(page: Page) {
  /** @param which of several places that say the same: what is on top comes last */
  const find = async (target: Locator, which: 'first' | 'last' = 'first') => {
    const one = target.filter({ visible: true })[which]()
    await one.waitFor()
    const { width, height } = (await one.boundingBox()) ?? { width: 0, height: 0 }
    if (width < minSize || height < minSize) throw new Error(`${target} cannot be read`)
    return one
  }
  return {
    async read(text: string) {
      await find(page.getByText(text))
    },
    /** @param isPlaceholder whether it stands in an empty field */
    async press(text: string | RegExp, which?: 'first' | 'last', isPlaceholder = false) {
      const target = isPlaceholder ? page.getByPlaceholder(text) : page.getByText(text)
      await (await find(target, which)).click()
    },
    /** Into the field below a label. */
    async fill(label: string, text: string) {
      await (await find(page.locator('label').getByText(label, { exact: true }), 'last')).click()
      await page.keyboard.type(text)
    },
    /** Into the field in the same line. */
    async fillBeside(text: RegExp, value: string) {
      const line = page.getByRole('listitem').filter({ hasText: text, visible: true })
      await line.last().locator('input').first().fill(value)
      await page.keyboard.press('Tab')
    },
    async type(...parts: readonly string[]) {
      for (const part of parts) {
        if (part === 'Tab') await page.keyboard.press(part)
        else await page.keyboard.type(part)
      }
    },
  }
}
