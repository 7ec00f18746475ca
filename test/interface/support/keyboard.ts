import type { Locator, Page } from 'playwright-core'

/** Far more stops than a page has. */
const maxStops = 150

/** A person without a mouse. */
export interface Keyboard {
  /** Presses Tab until something has the focus, and fails when it never has, or is not to be seen there. */
  to(target: Locator, key?: 'Tab' | 'Shift+Tab'): Promise<void>
  press(...keys: readonly string[]): Promise<void>
  type(text: string): Promise<void>
}

const focused = `(() => {
  const element = document.activeElement
  const { top, bottom, left, right } = element.getBoundingClientRect()
  const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
  return {
    name: element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 40) ?? '',
    tag: element.tagName.toLowerCase(),
    isSeen: bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
    isCovered: at !== null && !element.contains(at) && !at.contains(element),
  }
})()`

export function keyboardOf(page: Page): Keyboard {
  return {
    async to(target, key = 'Tab') {
      const passed: string[] = []
      await target.waitFor()
      for (let stop = 0; stop < maxStops; stop += 1) {
        if (await hasFocus(target)) return expectSeen(page)
        await page.keyboard.press(key)
        const { tag, name } = await page.evaluate<{ tag: string; name: string }>(focused)
        passed.push(`${tag} ${name}`)
      }
      throw new Error(
        `${key} never leads to ${target}. It leads to: ${[...new Set(passed)].join('; ')}`,
      )
    },
    async press(...keys) {
      for (const key of keys) await page.keyboard.press(key)
    },
    type: (text) => page.keyboard.type(text),
  }
}

export async function hasFocus(target: Locator): Promise<boolean> {
  return (await target.and(target.page().locator(':focus')).count()) > 0
}

/** WCAG 2.4.11: what has the focus is under nothing else. */
async function expectSeen(page: Page): Promise<void> {
  const { tag, name, isSeen, isCovered } = await page.evaluate<{
    tag: string
    name: string
    isSeen: boolean
    isCovered: boolean
  }>(focused)
  if (!isSeen || isCovered) {
    throw new Error(`${tag} ${name} has the focus and is ${isSeen ? 'covered' : 'out of sight'}`)
  }
}
