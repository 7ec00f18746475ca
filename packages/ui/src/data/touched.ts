import type { Change, ChangeItem } from '@svc/client/api'

type Kind = ChangeItem['kind']

/** Of the items of a change a list has the first ones only. @returns how many it leaves out */
function leftOut({ items, itemCount }: Change): number {
  return Math.max(0, itemCount - items.length)
}

/**
 * Whether a change touches an object. One whose items are not all known may touch any.
 *
 * @param key @default any object of the kind
 */
export function touches(change: Change, kind: Kind, key?: string): boolean {
  return (
    leftOut(change) > 0 ||
    change.items.some((item) => item.kind === kind && (key === undefined || item.key === key))
  )
}

/** The objects of a kind that changes name, by key. */
export function changedKeys(news: readonly Change[], kind: Kind): ReadonlySet<string> {
  const items = news.flatMap((change) => change.items)
  return new Set(items.filter((item) => item.kind === kind).map(({ key }) => key))
}

/** How many objects of a kind were changed: each once, and those that are not named at most. */
export function countChanged(news: readonly Change[], kind: Kind): number {
  return news.reduce((sum, change) => sum + leftOut(change), changedKeys(news, kind).size)
}
