import type { Page } from 'playwright-core'
import type { Request } from '../../support/http.ts'
import { inGermany, segment } from './content.ts'

/** A flag as the service has it. */
export interface Stored {
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

export const percent = (percentage: number, value = true) => ({ threshold: { percentage, value } })
export const inSegments = (...segments: readonly string[]) => ({
  segment: { segments, value: true },
})

/** What each rollout is for, in their order. */
export const saidOf = ({ rollouts }: Stored) =>
  rollouts.map(({ segment, threshold }) =>
    segment === undefined
      ? `${threshold?.percentage}% ${threshold?.value === true ? 'On' : 'Off'}`
      : segment.segments.join(segment.operator === 'AND_SEGMENT_OPERATOR' ? ' and ' : ' or '),
  )

export const segments = [segment('germany', [inGermany]), segment('staff', [inGermany])]

export async function readFlag(api: Request, namespaceKey: string, key: string): Promise<Stored> {
  const path = `/api/v1/namespaces/${namespaceKey}/documents/flags/${key}`
  const { body } = await api('GET', path)
  return (body as { readonly flag: Stored }).flag
}

export async function setPercentage(page: Page, step: string, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: `Percentage of ${step}` })
  await field.fill(text)
  await field.press('Tab')
}

/** Through the review, whose title begins with the number of changes. */
export async function saveDraft(page: Page, changes: string, namespaceKey: string): Promise<void> {
  await page.getByRole('button', { name: 'Review and save' }).click()
  const review = page.getByRole('dialog', { name: new RegExp(`^${changes}`) })
  await review.getByRole('button', { name: `Save to ${namespaceKey}` }).click()
  await review.waitFor({ state: 'detached' })
}
