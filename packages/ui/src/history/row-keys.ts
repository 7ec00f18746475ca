import type { RefObject } from 'react'
import { useShortcuts } from '../app/shortcuts.ts'

/** J and K go from one row of a log to the next: to what opens it. */
export function useRowKeys(rows: RefObject<HTMLElement | null>): void {
  const move = (step: number) => {
    const toggles = [...(rows.current?.querySelectorAll<HTMLElement>('[data-row-toggle]') ?? [])]
    const place = toggles.findIndex((toggle) => toggle.contains(document.activeElement))
    toggles[Math.max(0, Math.min(place + step, toggles.length - 1))]?.focus()
  }
  useShortcuts({ j: () => move(1), k: () => move(-1) })
}
