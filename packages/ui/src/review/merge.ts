import type { RuleDocument, VariantDocument } from '@svc/client/api'
import { isEqual } from '../data/draft.ts'
import { type DocumentOf, type Element, type Kind, nameOf, withoutIds } from './documents.ts'
import {
  type Fields,
  type ListName,
  listNamesOf,
  listOf,
  readDocument,
  readElement,
  targetOf,
  writeDocument,
  writeElement,
} from './fields.ts'

export type Side = 'mine' | 'theirs'

/** Where something differs. */
export interface Place {
  /** Of an element; nothing for what is in no list. */
  readonly list?: ListName
  /** The element, as it is where it is. */
  readonly element?: Element
  /** Its place, from 0, where it is: in the draft, else with the others, else before. */
  readonly index?: number
  /** A part of it. Nothing: all of it, which came or went. */
  readonly field?: string
}

/** Something that one of the two has changed, or both. A version that is `undefined` has it no more, or not yet. */
export interface MergeRow {
  readonly path: string
  readonly place: Place
  readonly base: unknown
  readonly mine: unknown
  readonly theirs: unknown
  /** Whose it is in the result. `ask`: both have changed it, and not to the same. */
  readonly from: Side | 'both' | 'ask'
}

export interface Merge<T> {
  readonly rows: readonly MergeRow[]
  /** Those that have to be asked. */
  readonly collisions: readonly MergeRow[]
  /** @param choose for a path of a collision. @default always mine */
  readonly resolve: (choose?: (path: string) => Side) => T
}

/**
 * What two people have made of the same document, part by part. What one alone has changed is taken; what
 * both have changed to the same, too; the rest is asked.
 */
export function mergeDocuments<K extends Kind>(
  kind: K,
  base: DocumentOf[K],
  mine: DocumentOf[K],
  theirs: DocumentOf[K],
): Merge<DocumentOf[K]> {
  const { rows } = new Merger(kind, base, mine, theirs, () => 'mine').run()
  return {
    rows,
    collisions: rows.filter(({ from }) => from === 'ask'),
    resolve: (choose = () => 'mine') => new Merger(kind, base, mine, theirs, choose).run().document,
  }
}

/** One element in the three versions. */
interface Triple {
  readonly name: string
  readonly base: Element | undefined
  readonly mine: Element | undefined
  readonly theirs: Element | undefined
}

class Merger<K extends Kind> {
  readonly #rows: MergeRow[] = []
  readonly #kind: K
  readonly #base: DocumentOf[K]
  readonly #mine: DocumentOf[K]
  readonly #theirs: DocumentOf[K]
  readonly #choose: (path: string) => Side

  constructor(
    kind: K,
    base: DocumentOf[K],
    mine: DocumentOf[K],
    theirs: DocumentOf[K],
    choose: (path: string) => Side,
  ) {
    this.#kind = kind
    this.#base = base
    this.#mine = mine
    this.#theirs = theirs
    this.#choose = choose
  }

  run(): { readonly rows: readonly MergeRow[]; readonly document: DocumentOf[K] } {
    const read = (document: DocumentOf[K]) => readDocument(this.#kind, document)
    const fields = this.#mergeFields(read(this.#base), read(this.#mine), read(this.#theirs), '', {})
    const lists = Object.fromEntries(
      listNamesOf(this.#kind).map((list) => [list, this.#mergeList(list)]),
    )
    const document = writeDocument(this.#kind, this.#theirs, fields, lists)
    return { rows: this.#rows, document: dropDangling(document) }
  }

  #mergeFields(base: Fields, mine: Fields, theirs: Fields, path: string, place: Place): Fields {
    const names = new Set([...Object.keys(theirs), ...Object.keys(mine), ...Object.keys(base)])
    const merged: Record<string, unknown> = {}
    for (const field of names) {
      const values = { base: base[field], mine: mine[field], theirs: theirs[field] }
      const whole = path === '' ? field : `${path}.${field}`
      merged[field] = this.#pick(whole, { ...place, field }, values)
    }
    return merged
  }

  /** Notes what differs. @returns the value that is taken */
  #pick<V>(
    path: string,
    place: Place,
    { base, mine, theirs }: { readonly base: V; readonly mine: V; readonly theirs: V },
    isAsked = !isEqual(mine, base) && !isEqual(theirs, base) && !isEqual(mine, theirs),
  ): V {
    const row = { path, place, base, mine, theirs }
    if (isAsked) {
      this.#rows.push({ ...row, from: 'ask' })
      return this.#choose(path) === 'mine' ? mine : theirs
    }
    if (isEqual(mine, theirs)) {
      if (!isEqual(mine, base)) this.#rows.push({ ...row, from: 'both' })
      return theirs
    }
    const from = isEqual(mine, base) ? 'theirs' : 'mine'
    this.#rows.push({ ...row, from })
    return row[from]
  }

  #mergeList(list: ListName): readonly Element[] {
    const [base, mine, theirs] = [
      listOf(this.#base, list),
      listOf(this.#mine, list),
      listOf(this.#theirs, list),
    ]
    const triples = matchThree(base, mine, theirs)
    const kept = new Map<string, Element>()
    for (const triple of triples) {
      const element = this.#mergeElement(list, triple, { base, mine, theirs })
      if (element !== undefined) kept.set(triple.name, element)
    }
    const namesIn = (version: 'base' | Side, elements: readonly Element[]) => {
      const names = new Map(triples.map((triple) => [triple[version], triple.name]))
      return elements.flatMap((element) => names.get(element) ?? [])
    }
    const order = this.#mergeOrder(
      list,
      namesIn('base', base),
      namesIn('mine', mine),
      namesIn('theirs', theirs),
    )
    return order.flatMap((name) => kept.get(name) ?? [])
  }

  #mergeElement(
    list: ListName,
    { name, base, mine, theirs }: Triple,
    lists: Readonly<Record<'base' | Side, readonly Element[]>>,
  ): Element | undefined {
    const path = `${list}[${name}]`
    const element = mine ?? theirs ?? base
    if (element === undefined) return undefined
    const index = [lists.mine, lists.theirs, lists.base]
      .map((elements) => elements.indexOf(element))
      .find((index) => index !== -1)
    const place: Place = { list, element, ...(index !== undefined && { index }) }
    if (base !== undefined && mine !== undefined && theirs !== undefined) {
      const isWhole = new Set([base, mine, theirs].map(targetOf)).size > 1
      const read = (element: Element) => readElement(list, element, isWhole)
      const fields = this.#mergeFields(read(base), read(mine), read(theirs), path, place)
      return writeElement(list, theirs, fields)
    }
    // It came or went as a whole. One that went is missed where the other has changed it, or uses it anew.
    const isMissed =
      base !== undefined &&
      ((mine === undefined && theirs !== undefined && this.#isUsedAnew(list, base, 'theirs')) ||
        (theirs === undefined && mine !== undefined && this.#isUsedAnew(list, base, 'mine')))
    const said = { base: contentOf(base), mine: contentOf(mine), theirs: contentOf(theirs) }
    const taken = isMissed ? this.#pick(path, place, said, true) : this.#pick(path, place, said)
    if (taken === undefined) return undefined
    if (taken === said.theirs) return theirs
    return mine && { ...mine, id: theirs?.id ?? mine.id }
  }

  /** Whether a variant is served by what that side has changed. */
  #isUsedAnew(list: ListName, element: Element, side: Side): boolean {
    if (list !== 'variants') return false
    const { key } = element as VariantDocument
    const document = side === 'mine' ? this.#mine : this.#theirs
    const served = listOf(document, 'rules').filter((rule) => servedBy(rule).includes(key))
    const known = new Map(listOf(this.#base, 'rules').map((rule) => [rule.id, rule]))
    const isChosen = (one: DocumentOf[K]) => readDocument(this.#kind, one).default === key
    return (
      (isChosen(document) && !isChosen(this.#base)) ||
      served.some((rule) => {
        const was = known.get(rule.id)
        return was === undefined || !isEqual(withoutIds(was), withoutIds(rule))
      })
    )
  }

  /** The names in the order that one of the two has given them; what the other has added, after what it stood after. */
  #mergeOrder(
    list: ListName,
    base: readonly string[],
    mine: readonly string[],
    theirs: readonly string[],
  ): readonly string[] {
    const common = new Set(base.filter((name) => mine.includes(name) && theirs.includes(name)))
    const within = (names: readonly string[]) => names.filter((name) => common.has(name))
    const [was, here, there] = [within(base), within(mine), within(theirs)]
    if (isEqual(was, here) || isEqual(here, there)) {
      if (!isEqual(was, there))
        this.#rows.push(orderRow(list, was, here, there, isEqual(here, there) ? 'both' : 'theirs'))
      return weave(theirs, mine, new Set(base), true)
    }
    const isAsked = !isEqual(was, there)
    this.#rows.push(orderRow(list, was, here, there, isAsked ? 'ask' : 'mine'))
    return isAsked && this.#choose(`${list}.order`) === 'theirs'
      ? weave(theirs, mine, new Set(base), true)
      : weave(mine, theirs, new Set(base), false)
  }
}

function orderRow(
  list: ListName,
  base: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
  from: MergeRow['from'],
): MergeRow {
  const places = (names: readonly string[]) => names.map((name) => base.indexOf(name))
  return {
    path: `${list}.order`,
    place: { list, field: 'order' },
    base: places(base),
    mine: places(mine),
    theirs: places(theirs),
    from,
  }
}

/**
 * Puts what is in the second list alone into the first, each after what it stands after there.
 *
 * @param isAfterNew after what is new in the first at the same place, such as a stop that was put on top
 */
function weave(
  names: readonly string[],
  others: readonly string[],
  base: ReadonlySet<string>,
  isAfterNew: boolean,
): readonly string[] {
  const result = [...names]
  for (const [place, name] of others.entries()) {
    if (names.includes(name)) continue
    const previous = others.slice(0, place).findLast((one) => result.includes(one))
    let index = previous === undefined ? 0 : result.indexOf(previous) + 1
    const isNewOfFirst = (one: string | undefined) =>
      one !== undefined && names.includes(one) && !base.has(one)
    while (isAfterNew && isNewOfFirst(result[index])) index++
    result.splice(index, 0, name)
  }
  return result
}

/** The same elements in three lists. What both have added alike is one. */
function matchThree(
  base: readonly Element[],
  mine: readonly Element[],
  theirs: readonly Element[],
): readonly Triple[] {
  const find = (elements: readonly Element[], name: string) =>
    name === '' ? undefined : elements.find((element) => nameOf(element) === name)
  const known = base.map((element) => {
    const name = nameOf(element)
    return { name, base: element, mine: find(mine, name), theirs: find(theirs, name) }
  })
  const isIn = (version: 'mine' | 'theirs', element: Element) =>
    known.some((triple) => triple[version] === element)
  const left = mine.filter((element) => !isIn('mine', element))
  const added = theirs
    .filter((element) => !isIn('theirs', element))
    .map((element, place) => {
      const name = nameOf(element)
      const twin = left.findIndex(
        (other) =>
          (isKey(name) && nameOf(other) === name) ||
          isEqual(withoutIds(other), withoutIds(element)),
      )
      const [match] = twin === -1 ? [] : left.splice(twin, 1)
      return {
        name: nameOfNew(element, 'theirs', place),
        base: undefined,
        mine: match,
        theirs: element,
      }
    })
  const rest = left.map((element, place) => ({
    name: nameOfNew(element, 'mine', place),
    base: undefined,
    mine: element,
    theirs: undefined,
  }))
  return [...known, ...added, ...rest]
}

/** A variant has its key from the first; the ids of others are new with each version. */
function nameOfNew(element: Element, side: Side, place: number): string {
  const name = nameOf(element)
  return isKey(name) ? name : `${side} ${place}`
}

function isKey(name: string): boolean {
  return name.startsWith('key ')
}

/** What an element says. Which variant is the default is a part of the flag. */
function contentOf(element: Element | undefined): unknown {
  if (element === undefined) return undefined
  const { default: _, ...rest } = element as Element & { readonly default?: boolean }
  return withoutIds(rest)
}

/** The keys of the variants that a rule serves. */
function servedBy(rule: Element): readonly string[] {
  const parts = readElement('rules', rule).split as RuleDocument['distributions']
  return parts.map(({ variant }) => variant)
}

/** What a variant that is gone was served by goes with it, as in the service. */
function dropDangling<T extends object>(document: T): T {
  if (!('variants' in document)) return document
  const keys = new Set(listOf(document, 'variants').map((variant) => Reflect.get(variant, 'key')))
  const rules = listOf(document, 'rules').map((rule) => {
    if (servedBy(rule).every((key) => keys.has(key))) return rule
    const distributions: readonly object[] = Reflect.get(rule, 'distributions')
    return {
      ...rule,
      distributions: distributions.filter((part) => keys.has(Reflect.get(part, 'variant'))),
    }
  })
  return { ...document, rules }
}
