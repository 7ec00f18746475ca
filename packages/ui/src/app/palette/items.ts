import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { matches } from './matching.ts'

export interface PaletteItem {
  readonly id: string
  readonly text: string
  readonly detail?: string
  readonly icon: LucideIcon
  readonly end?: ReactNode
  readonly keys?: string
  readonly run: () => void
  /** What Ctrl and Enter do. */
  readonly runInConsole?: () => void
}

export interface PaletteGroup {
  readonly title: string
  readonly items: readonly PaletteItem[]
}

/** Only what matches, and no empty groups. */
export function filterGroups(
  groups: readonly PaletteGroup[],
  typed: string,
): readonly PaletteGroup[] {
  return groups
    .map(({ title, items }) => ({ title, items: items.filter(({ text }) => matches(text, typed)) }))
    .filter(({ items }) => items.length > 0)
}
