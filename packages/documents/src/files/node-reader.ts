import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar } from 'yaml'
import { findNearest } from '../nearest.ts'
import { join } from '../paths.ts'
import type { FileShape } from './file-shapes.ts'
import { type Source, type SourceDocument, SyntaxProblem } from './source.ts'

/** Nodes that aliases stand for, in a document: aliases of aliases would multiply them without end. */
const maxAliasNodes = 100_000

/** A node, and where it is. */
export interface Place {
  /** Aliases are resolved. */
  readonly node: Node | null
  readonly path: string
  /** In the text. */
  readonly offset: number
}

/** Where problems go. */
export interface Found {
  problem(place: Omit<Place, 'node'>, message: string): void
  /** A member that means nothing. */
  unknown(place: Omit<Place, 'node'>, message: string): void
}

/** Reads the nodes of one document. What does not fit is reported, and read as if it were not there. */
export class NodeReader {
  readonly #format: Source['format']
  readonly #document: SourceDocument
  readonly #found: Found
  #aliasNodes = 0

  constructor(format: Source['format'], document: SourceDocument, found: Found) {
    this.#format = format
    this.#document = document
    this.#found = found
  }

  get root(): Place {
    return this.#place(this.#document.contents, '', 0)
  }

  problem(place: Place, message: string): undefined {
    this.#found.problem(place, message)
  }

  /** The members of an object by name; nothing for what is no object. */
  members(place: Place, shape: FileShape): ReadonlyMap<string, Place> {
    const { path, offset } = place
    const members = this.entries(place)
    if (members === undefined) {
      this.problem(place, `must be ${shape.title}: ${namesOf(shape)}`)
      return new Map()
    }
    for (const name of members.keys()) {
      if (Object.hasOwn(shape.members, name)) continue
      const nearest = findNearest(name, Object.keys(shape.members))
      const hint = nearest === undefined ? '' : `. Did you mean "${nearest}"?`
      const at = { path: join(path, shorten(name)), offset: members.get(name)?.keyOffset ?? offset }
      this.#found.unknown(at, `is unknown: ${shape.title} has ${namesOf(shape)}${hint}`)
    }
    return members
  }

  /** All members of an object, those of merged ones included; nothing for what is no object. */
  entries({ node, path, offset }: Place): Map<string, Place & { keyOffset: number }> | undefined {
    if (!isMap(node)) return undefined
    const entries = new Map<string, Place & { keyOffset: number }>()
    const merged: Place[] = []
    for (const pair of node.items) {
      const keyOffset = this.#offsetOf(pair.key, offset)
      const name = this.#nameOf(pair, { node, path, offset: keyOffset })
      if (name === undefined) continue
      const value = this.#place(pair.value, join(path, name), keyOffset)
      if (isMergeKey(pair.key)) merged.push({ ...value, path })
      else if (entries.has(name)) this.problem({ ...value, offset: keyOffset }, 'comes twice')
      else entries.set(name, { ...value, keyOffset })
    }
    for (const place of merged) this.#merge(entries, place)
    return entries
  }

  /** The elements of a list, without null; nothing and `null` are an empty one. */
  elements(place: Place | undefined): readonly Place[] {
    if (place === undefined || isNull(place)) return []
    if (!isSeq(place.node)) this.problem(place, 'must be a list')
    return this.items(place).filter((element) => !isNull(element))
  }

  /** All elements of a list; none of what is no list. */
  items({ node, path, offset }: Place): readonly Place[] {
    if (!isSeq(node)) return []
    return node.items.map((item, index) => this.#place(item, `${path}[${index}]`, offset))
  }

  text(place: Place | undefined): string {
    if (place === undefined || isNull(place)) return ''
    const { node } = place
    if (!isScalar(node)) return this.problem(place, 'must be text') ?? ''
    if (typeof node.value === 'string') return node.value
    // In YAML, what looks like a number is text where text belongs.
    if (this.#format === 'yaml') return node.source ?? String(node.value)
    return this.problem(place, `must be text: write "${node.source}"`) ?? ''
  }

  /** How a scalar is written. */
  sourceOf({ node }: Place): string | undefined {
    return isScalar(node) ? node.source : undefined
  }

  boolean(place: Place | undefined): boolean {
    if (place === undefined || isNull(place)) return false
    const value = isScalar(place.node) ? place.node.value : undefined
    if (typeof value === 'boolean') return value
    const isPlain = isScalar(place.node) && place.node.type === 'PLAIN'
    if (isPlain && typeof value === 'string') {
      // YAML 1.1, which the established service reads.
      if (/^(?:y|yes|on)$/i.test(value)) return true
      if (/^(?:n|no|off)$/i.test(value)) return false
    }
    return this.problem(place, 'must be true or false') ?? false
  }

  /** @returns nothing for what is left out, and for what is no number */
  number(place: Place | undefined): number | undefined {
    if (place === undefined || isNull(place)) return undefined
    const value = isScalar(place.node) ? place.node.value : undefined
    if (typeof value === 'number' && Number.isFinite(value)) return value
    return this.problem(place, 'must be a number')
  }

  /** One of some names; the first when it is left out or empty. */
  choice<T extends string>(place: Place | undefined, names: readonly [T, ...T[]]): T {
    const [preset] = names
    const text = this.text(place)
    const name = names.find((one) => one === text)
    if (place === undefined || text === '' || name !== undefined) return name ?? preset
    const nearest = findNearest(text, names)
    const hint = nearest === undefined ? '' : `. Did you mean "${nearest}"?`
    this.problem(place, `must be one of ${names.join(', ')}${hint}`)
    return preset
  }

  #place(node: unknown, path: string, parentOffset: number): Place {
    const offset = this.#offsetOf(node, parentOffset)
    let target = node as Node | null
    while (isAlias(target)) {
      const { source } = target
      target = this.#document.targetOf(target) ?? null
      this.#countAlias(target, offset, source)
    }
    return { node: target, path, offset }
  }

  /** Counts what an alias stands for each time it is read. */
  #countAlias(target: Node | null, offset: number, name: string): void {
    this.#aliasNodes += sizeOf(target, maxAliasNodes)
    if (this.#aliasNodes <= maxAliasNodes) return
    throw new SyntaxProblem(
      offset,
      `*${shorten(name)}: the aliases stand for too much. Write it out`,
    )
  }

  #offsetOf(node: unknown, preset: number): number {
    const range: unknown = typeof node === 'object' && node && Reflect.get(node, 'range')
    const start: unknown = Array.isArray(range) ? range[0] : undefined
    return typeof start === 'number' ? start + this.#document.offset : preset
  }

  #nameOf({ key }: Pair, place: Place): string | undefined {
    const node = isAlias(key) ? this.#document.targetOf(key) : key
    if (isScalar(node)) return typeof node.value === 'string' ? node.value : (node.source ?? '')
    return this.problem(place, 'has a key that is no text')
  }

  #merge(entries: Map<string, Place & { keyOffset: number }>, place: Place): void {
    const parts = isSeq(place.node) ? this.elements(place) : [place]
    for (const part of parts) {
      const members = this.entries(part)
      if (members === undefined) this.problem(part, 'must be an object to be merged with <<')
      for (const [name, value] of members ?? []) if (!entries.has(name)) entries.set(name, value)
    }
  }
}

/** Nodes below one, up to a bound. An alias counts as one: it is counted again when it is read. */
function sizeOf(node: unknown, bound: number): number {
  if (isMap(node)) {
    let size = 1
    for (const { value } of node.items) {
      size += 1 + sizeOf(value, bound - size)
      if (size > bound) break
    }
    return size
  }
  if (!isSeq(node)) return 1
  let size = 1
  for (const item of node.items) {
    size += sizeOf(item, bound - size)
    if (size > bound) break
  }
  return size
}

function isMergeKey(key: unknown): key is Scalar {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN'
}

export function isNull({ node }: Place): boolean {
  return node === null || (isScalar(node) && node.value === null)
}

/** Characters of a name in a message. */
const maxNameLength = 64

export function shorten(name: string): string {
  return name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name
}

function namesOf({ members }: FileShape): string {
  return Object.keys(members).join(', ')
}
