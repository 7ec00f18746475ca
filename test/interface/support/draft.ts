import type { Locator, Page } from 'playwright-core'
import type { Request } from '../../support/http.ts'

/** Opens a segment and makes one constraint enough: a draft of one change. */
export async function draftSegment(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.getByRole('button', { name: 'any', exact: true }).click()
  await barOf(page).getByText('1 change').waitFor()
}

/** The bar with what is not saved. */
export function barOf(page: Page): Locator {
  return page.getByRole('region', { name: 'Draft' })
}

export function reviewOf(page: Page): Locator {
  return page.getByRole('dialog', { name: /changes? to/ })
}

/** Opens the changes of a draft. */
export async function review(page: Page): Promise<Locator> {
  await barOf(page).getByRole('button', { name: 'Review and save' }).click()
  const dialog = reviewOf(page)
  await dialog.waitFor()
  return dialog
}

export function saveButton(dialog: Locator): Locator {
  return dialog.getByRole('button', { name: /^Save to/ })
}

interface Logged {
  readonly revision: number
  readonly comment: string
}

/** The changes of an object in the log, the newest first. */
export async function changesOf(
  api: Request,
  namespaceKey: string,
  kind: 'FLAG_KIND' | 'SEGMENT_KIND',
  key: string,
): Promise<readonly Logged[]> {
  const path = `/api/v1/namespaces/${namespaceKey}/changes?kind=${kind}&key=${key}`
  const { status, body, text } = await api('GET', path)
  if (status !== 200) throw new Error(text)
  return (body as { readonly changes: readonly Logged[] }).changes
}
