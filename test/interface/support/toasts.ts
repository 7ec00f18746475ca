import type { Page } from 'playwright-core'

/** Presses Undo of what a toast says. */
export async function undo(page: Page, text: string | RegExp): Promise<void> {
  const toasts = page.getByRole('region', { name: 'Notifications' }).locator('> *')
  await toasts.filter({ hasText: text }).getByRole('button', { name: 'Undo', exact: true }).click()
}
