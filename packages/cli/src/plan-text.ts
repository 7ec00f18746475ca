import type { PlannedItem } from '@svc/client/api'
import type { Output, Style } from './output.ts'

/** What happens in a namespace. */
export interface PlannedNamespace {
  readonly namespaceKey: string
  /** It does not exist yet. */
  readonly isNew: boolean
  readonly items: readonly PlannedItem[]
  /** How many objects stay as they are. */
  readonly unchanged: number
}

/** Differences of one object that are shown; `--json` has all of them. */
const maxShown = 20

/**
 * A plan for people: a line for each object that changes, and one for each difference below it.
 *
 * ```
 * shop
 *   + flag new-checkout
 *   ~ flag checkout
 *       enabled: false → true
 *   - segment old
 * ```
 *
 * @param maxItems objects of a namespace that are shown: what is created is left out first
 */
export function planText(
  plans: readonly PlannedNamespace[],
  output: Pick<Output, 'style'>,
  maxItems = Number.POSITIVE_INFINITY,
): string {
  return plans
    .filter(hasChanges)
    .flatMap(({ namespaceKey, isNew, items }) => [
      `${output.style('bold', namespaceKey)}${isNew ? ' (new)' : ''}`,
      ...shownOf(items, maxItems).flatMap((item) => itemLines(item, output)),
      ...(items.length > maxItems ? [`  and ${items.length - maxItems} more`] : []),
    ])
    .join('\n')
}

function shownOf(items: readonly PlannedItem[], maxItems: number): readonly PlannedItem[] {
  if (items.length <= maxItems) return items
  const isCreated = ({ action }: PlannedItem) => action === 'CREATED_ACTION'
  return [...items.filter((item) => !isCreated(item)), ...items.filter(isCreated)].slice(
    0,
    maxItems,
  )
}

export function hasChanges({ isNew, items }: PlannedNamespace): boolean {
  return isNew || items.length > 0
}

/** Such as `2 created, 1 updated, 1 deleted, 40 unchanged`. */
export function countText(plans: readonly PlannedNamespace[]): string {
  const { created, updated, deleted, unchanged } = countItems(plans)
  const made = plans.filter(({ isNew }) => isNew).length
  const parts = [
    [made, made === 1 ? 'new namespace' : 'new namespaces'],
    [created, 'created'],
    [updated, 'updated'],
    [deleted, 'deleted'],
    [unchanged, 'unchanged'],
  ] as const
  return parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`)
    .join(', ')
}

export function countItems(plans: readonly PlannedNamespace[]) {
  const items = plans.flatMap((plan) => plan.items)
  const count = (action: PlannedItem['action']) =>
    items.filter((item) => item.action === action).length
  return {
    created: count('CREATED_ACTION'),
    updated: count('UPDATED_ACTION'),
    deleted: count('DELETED_ACTION'),
    unchanged: plans.reduce((sum, plan) => sum + plan.unchanged, 0),
  }
}

const marks: Readonly<Record<PlannedItem['action'], readonly [mark: string, style: Style]>> = {
  CREATED_ACTION: ['+', 'green'],
  UPDATED_ACTION: ['~', 'yellow'],
  DELETED_ACTION: ['-', 'red'],
  UNCHANGED_ACTION: ['=', 'dim'],
}

function itemLines(item: PlannedItem, output: Pick<Output, 'style'>): string[] {
  const { action, changes, managedBy, isCut } = item
  const [mark, style] = marks[action]
  const head = `  ${output.style(style, `${mark} ${nameOf(item)}`)}`
  if (action !== 'UPDATED_ACTION') return [head]
  const shown = changes.slice(0, maxShown).map((change) => `      ${changeText(change)}`)
  const more = changes.length - shown.length
  const isHandedOver = changes.length === 0 && !isCut
  return [
    head,
    ...shown,
    ...(more > 0 ? [`      and ${more} more`] : []),
    ...(isCut ? ['      too much to show'] : []),
    ...(isHandedOver ? [`      only who keeps it: ${managedBy || 'none from now on'}`] : []),
  ]
}

/** Such as `flag checkout`. */
export function nameOf({ kind, key }: Pick<PlannedItem, 'kind' | 'key'>): string {
  const nouns = { FLAG_KIND: 'flag', SEGMENT_KIND: 'segment', NAMESPACE_KIND: 'namespace' } as const
  return kind === 'UNKNOWN_KIND'
    ? key
    : kind === 'NAMESPACE_KIND'
      ? nouns[kind]
      : `${nouns[kind]} ${key}`
}

/** A difference of documents: each side JSON, as text. */
interface Difference {
  readonly path: string
  readonly before?: string | undefined
  readonly after?: string | undefined
}

/** Such as `enabled: false → true`. */
export function changeText({ path, before, after }: Difference): string {
  const name = path === '' ? '' : `${path}: `
  if (before === undefined) return `${name}${shortened(after ?? '')}`
  return `${name}${shortened(before)} → ${after === undefined ? 'nothing' : shortened(after)}`
}

/** Characters of a value that are shown. */
const maxLength = 60

function shortened(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
}
