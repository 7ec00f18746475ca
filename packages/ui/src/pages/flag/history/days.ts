import { dayOf } from '../../../history/time-range.ts'

/** Changes of one day. */
export interface Day<T> {
  /** Such as `2026-11-25`. */
  readonly day: string
  readonly changes: readonly T[]
}

/** Groups what comes sorted, by the reader's clock. */
export function byDay<T extends { readonly at: string }>(changes: readonly T[]): readonly Day<T>[] {
  const days: { day: string; changes: T[] }[] = []
  for (const change of changes) {
    const day = dayOf(new Date(change.at))
    const last = days.at(-1)
    if (last?.day === day) last.changes.push(change)
    else days.push({ day, changes: [change] })
  }
  return days
}
