import type { Change, ChangeItem, FieldChange } from '@svc/client/api'
import type { Format } from '../text/format.ts'
import { bold } from '../text/rich.tsx'
import { readDocument } from './documents.ts'
import { readPlace, topicOf } from './paths.ts'
import type { HistoryPartTexts } from './texts.ts'

/** Where the object stands in a sentence, for a link to it: a private character. */
export const objectMark = '\ue002'

export interface Teller {
  readonly t: HistoryPartTexts
  readonly format: Format
  readonly namespaceKey: string
  /** Whether it is told on the page of the object, which does not name it. */
  readonly isOwn: boolean
}

export interface Told {
  /** What follows on who it was, with {@link objectMark} in it where there is an object to name. */
  readonly text: string
  readonly item: ChangeItem | undefined
}

/** What a change did, in one sentence after the name of who did it. */
export function tellChange(change: Change, teller: Teller): Told {
  const { t, format, namespaceKey } = teller
  const { items, itemCount, details } = change
  const [first] = items
  const item = itemCount === 1 ? first : undefined
  const undone = details?.undoes
  if (typeof undone === 'number') {
    return { text: t.undid(bold(String(undone)), item ? ofObject(teller) : ''), item }
  }
  if (first === undefined) return { text: t.savedNothing, item: undefined }
  if (item === undefined) {
    const isAll = items.length === itemCount
    const text = isAll ? tellMany(items, teller) : t.changedMany(format.number(itemCount))
    return { text, item: undefined }
  }
  const restored = restoredRevision(details?.from, namespaceKey)
  const text =
    restored === undefined ? tellItem(item, teller) : t.restored(bold(restored), ofObject(teller))
  return { text, item }
}

/** What became of one object. */
export function tellItem(item: ChangeItem, teller: Teller): string {
  const { t } = teller
  const x = wholeObject(item, teller)
  if (item.action === 'CREATED_ACTION') return t.created(x)
  if (item.action === 'DELETED_ACTION') return t.deleted(x)
  if (item.changes.length === 0) return t.saved(x)
  return tellFields(item, teller)
}

function tellFields(item: ChangeItem, teller: Teller): string {
  const { t, format } = teller
  const [first] = item.changes
  const topics = topicsOf(item.changes)
  const of = ofObject(teller)
  const variant = changedDefault(item)
  if (variant !== undefined) {
    return variant === '' ? t.tookDefault(of) : t.madeDefault(bold(variant), of)
  }
  if (first !== undefined && item.changes.length === 1) {
    const text = tellOne(item, first, teller)
    if (text !== undefined) return text
  }
  return t.changed(format.list(topics.map((topic) => tellTopic(topic, item, teller))), of)
}

/** A sentence of its own for what is done most. */
function tellOne(
  item: ChangeItem,
  { path, before, after }: FieldChange,
  teller: Teller,
): string | undefined {
  const { t, format } = teller
  const of = ofObject(teller)
  const x = wholeObject(item, teller)
  if (item.kind === 'FLAG_KIND' && path === 'enabled')
    return tellEnabled(item, after === 'true', x, t)
  if (path === 'rollouts[0]' && isStop(before ?? after)) {
    return before === undefined ? t.stopped(x) : t.resumed(x)
  }
  const place = readPlace(path)
  if (place === undefined) return undefined
  const part = tellPart(place.list, place.index, item, t)
  if (place.rest === '') {
    if (before === undefined) return t.added(part, of)
    if (after === undefined) return t.removed(part, of)
  }
  if (place.rest === 'position') return t.moved(part, of)
  if (place.rest === 'threshold.percentage') {
    const [from, to] = [Number(before ?? 0), Number(after ?? 0)]
    const tell = to > from ? t.raised : t.lowered
    return tell(part, format.exactShare(from), format.exactShare(to), of)
  }
  return undefined
}

/** The switch of a boolean flag is what everyone else gets; a variant flag is evaluated, or not. */
function tellEnabled(item: ChangeItem, isOn: boolean, x: string, t: HistoryPartTexts): string {
  const { type, rollouts } = readDocument(item.after)
  if (type !== 'BOOLEAN_FLAG_TYPE') return isOn ? t.enabled(x) : t.disabled(x)
  if (Array.isArray(rollouts) && rollouts.length > 0) return isOn ? t.restOn(x) : t.restOff(x)
  return isOn ? t.turnedOn(x) : t.turnedOff(x)
}

/** Whether a rollout gives Off to everyone. */
function isStop(json: string | undefined): boolean {
  const { threshold } = readDocument(json)
  if (typeof threshold !== 'object' || threshold === null) return false
  return Reflect.get(threshold, 'percentage') === 100 && Reflect.get(threshold, 'value') !== true
}

/** @returns the variant that is the default now, empty when there is none; nothing when more was changed */
function changedDefault({ changes, after }: ChangeItem): string | undefined {
  const places = changes.map(({ path }) => readPlace(path))
  if (!places.every((place) => place?.list === 'variants' && place.rest === 'default'))
    return undefined
  const made = changes.findIndex((change) => change.after === 'true')
  const index = places[made]?.index
  return index === undefined ? '' : variantKey(after, index)
}

interface Topic {
  readonly name: string
  /** The place in a list; nothing when it is all of the member, or several places. */
  readonly index: number | undefined
}

/** The members that were changed, each once. */
function topicsOf(changes: readonly FieldChange[]): readonly Topic[] {
  const topics = new Map<string, Topic>()
  for (const change of changes) {
    const place = readPlace(change.path)
    const name = place?.list ?? topicOf(change)
    const known = topics.get(name)
    const index = known === undefined || known.index === place?.index ? place?.index : undefined
    topics.set(name, { name, index })
  }
  return [...topics.values()]
}

function tellTopic({ name, index }: Topic, item: ChangeItem, { t }: Teller): string {
  if (index !== undefined) return tellPart(name, index, item, t)
  return isMember(name, t) ? t.members[name] : t.other(name)
}

function isMember(name: string, t: HistoryPartTexts): name is keyof HistoryPartTexts['members'] {
  return Object.hasOwn(t.members, name)
}

function tellPart(list: string, index: number, item: ChangeItem, t: HistoryPartTexts): string {
  const place = String(index + 1)
  switch (list) {
    case 'rules':
      return t.rule(place)
    case 'rollouts':
      return t.rollout(place)
    case 'constraints':
      return t.constraint(place)
    case 'variants':
      return t.variant(variantKey(item.after, index) || variantKey(item.before, index) || place)
    default:
      return t.other(`${list} ${place}`)
  }
}

function variantKey(json: string | undefined, index: number): string {
  const { variants } = readDocument(json)
  const variant: unknown = Array.isArray(variants) ? variants[index] : undefined
  const key: unknown =
    typeof variant === 'object' && variant !== null && Reflect.get(variant, 'key')
  return typeof key === 'string' ? key : ''
}

const actions = ['CREATED_ACTION', 'UPDATED_ACTION', 'DELETED_ACTION'] as const
const kinds = ['NAMESPACE_KIND', 'FLAG_KIND', 'SEGMENT_KIND'] as const

function tellMany(items: readonly ChangeItem[], { t, format }: Teller): string {
  const groups = actions.flatMap((action) => {
    const counts = kinds.flatMap((kind) => {
      const { length } = items.filter((item) => item.action === action && item.kind === kind)
      return length === 0 ? [] : [t.counts[kind](length, format.number(length))]
    })
    return counts.length === 0 ? [] : [t.group[action](format.list(counts))]
  })
  return t.groups(format.list(groups))
}

/** Of `shop:41` in the namespace shop 41: a version that was put back. */
function restoredRevision(from: unknown, namespaceKey: string): string | undefined {
  const start = `${namespaceKey}:`
  return typeof from === 'string' && from.startsWith(start) ? from.slice(start.length) : undefined
}

function wholeObject({ kind }: ChangeItem, { t, isOwn }: Teller): string {
  const known = kind in t.own ? (kind as keyof typeof t.own) : 'FLAG_KIND'
  return isOwn ? t.own[known] : t.objects[known](objectMark)
}

function ofObject({ t, isOwn }: Teller): string {
  return isOwn ? '' : t.of(objectMark)
}
