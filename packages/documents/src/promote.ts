import type { FieldChange } from '@svc/proto/resource/v1/documents'
import { canonicalText } from './canonical.ts'
import { diffDocuments } from './diff.ts'
import { adoptIds, dropIds } from './ids.ts'
import type { DocumentOf } from './shapes.ts'

/** What can be promoted: flags and segments. Settings belong to their namespace. */
export type PromotedKind = 'flag' | 'segment'

/** Documents of a namespace. A key stands in each list once at most. */
export interface Content {
  readonly flags: readonly DocumentOf['flag'][]
  readonly segments: readonly DocumentOf['segment'][]
}

/** Whose document an object has after a conflict: that of the target, or that of the source. */
export type Resolution = 'ours' | 'theirs'

/**
 * What happens to an object of the target:
 *
 * - `equal`: nothing, for it is the same
 * - `created`: the target has none yet
 * - `updated`: the source's takes its place
 * - `kept`: the target has changed it since the last promotion, and the source has not
 * - `conflict`: both have changed it since, and not to the same
 */
export type Verdict = 'equal' | 'created' | 'updated' | 'kept' | 'conflict'

export interface PromoteRequest {
  readonly source: Content
  readonly target: Content
  /**
   * Objects of the source as they were when the target last got them: the common ancestors, see
   * `findBases`. What is not there is compared two ways: the source's is taken wherever they differ.
   */
  readonly base?: Content
  readonly flagKeys: readonly string[]
  /** Segments to promote besides those that the flags need. */
  readonly segmentKeys?: readonly string[]
  /**
   * Which segments of the flags come along: `all`, those that the target does not have, or none.
   * @default 'all'
   */
  readonly withSegments?: 'all' | 'missing' | 'none'
  /**
   * Whether `enabled` is promoted too. Without it a flag keeps that of the target, and is off where it is
   * new.
   * @default false
   */
  readonly withState?: boolean
  /** Whose document an object in conflict gets; `undefined` leaves it a conflict. */
  readonly resolve?: (kind: PromotedKind, key: string) => Resolution | undefined
}

export interface PromotedObject<K extends PromotedKind = PromotedKind> {
  readonly kind: K
  readonly key: string
  readonly verdict: Verdict
  /** What the target gets, without ids; of a conflict, what it would get from the source. */
  readonly document: DocumentOf[K]
  /** From what the target has to `document`; nothing when the target's stays. */
  readonly changes: readonly FieldChange[]
  /** What the source has changed since the common ancestor. Only where the target has changed it, too. */
  readonly sourceChanges: readonly FieldChange[]
  /** What the target has changed since the common ancestor, unless to the same. */
  readonly targetChanges: readonly FieldChange[]
  /** Of a segment: the chosen flags that it comes along with. */
  readonly neededBy: readonly string[]
  /** Of a segment that is updated: the target's flags that were not chosen, and change with it. */
  readonly alsoUsedBy: readonly string[]
}

export type Promoted = PromotedObject<'flag'> | PromotedObject<'segment'>

export interface PromotePlan {
  /** Segments first, in the order of the request. */
  readonly objects: readonly Promoted[]
  /** Segments that the flags need and the target will not have: applying the plan would fail. */
  readonly missingSegmentKeys: readonly string[]
}

/**
 * Plans what a target gets from a source, by three-way comparison of whole objects. Pure: reading before
 * and applying after it are the caller's.
 *
 * @throws {RangeError} for a key that the source does not have
 */
export function planPromotion(request: PromoteRequest): PromotePlan {
  const { flagKeys, segmentKeys = [], withSegments = 'all' } = request
  const sides = {
    source: toIndex(request.source),
    target: toIndex(request.target),
    base: toIndex(request.base),
  }
  const chosen = new Set(flagKeys)
  const flags = [...chosen].map((key) => planObject('flag', key, sides, request))
  const needs = flagsBySegment([...chosen].map((key) => getSource(sides, 'flag', key)))
  const isThere = (key: string) => sides.target.segment.has(key)
  const along = {
    all: [...needs.keys()],
    missing: [...needs.keys()].filter((key) => !isThere(key)),
    none: [],
  }[withSegments]
  const others = flagsBySegment(request.target.flags.filter(({ key }) => !chosen.has(key)))
  const planned = new Set([...segmentKeys, ...along])
  const segments = [...planned].map((key) => {
    const segment = planObject('segment', key, sides, request)
    const isReplaced = segment.verdict === 'updated' || segment.verdict === 'conflict'
    const alsoUsedBy = isReplaced ? (others.get(key) ?? []) : []
    return { ...segment, neededBy: needs.get(key) ?? [], alsoUsedBy }
  })
  const required = flags.filter(isWritten).flatMap(({ document }) => segmentKeysOf(document))
  return {
    objects: [...segments, ...flags],
    missingSegmentKeys: [...new Set(required)].filter((key) => !planned.has(key) && !isThere(key)),
  }
}

/** What an Apply to the target sets. Conflicts are left out: look for them first. */
export function promotedContent({ objects }: PromotePlan): Content {
  const written = objects.filter(isWritten)
  return {
    flags: written.flatMap((one) => (one.kind === 'flag' ? one.document : [])),
    segments: written.flatMap((one) => (one.kind === 'segment' ? one.document : [])),
  }
}

/** The keys of the segments that a flag refers to, each once. */
export function segmentKeysOf({ rules, rollouts }: DocumentOf['flag']): string[] {
  const lists = [...rules, ...rollouts.flatMap(({ segment }) => segment ?? [])]
  return [...new Set(lists.flatMap(({ segments }) => segments))]
}

/** Whether the target gets another document. */
function isWritten({ verdict }: Promoted): boolean {
  return verdict === 'created' || verdict === 'updated'
}

/** By segment, the keys of the flags that refer to it. */
function flagsBySegment(flags: readonly DocumentOf['flag'][]): Map<string, string[]> {
  const uses = new Map<string, string[]>()
  for (const flag of flags) {
    for (const key of segmentKeysOf(flag)) {
      const users = uses.get(key)
      if (users === undefined) uses.set(key, [flag.key])
      else users.push(flag.key)
    }
  }
  return uses
}

type Index = { readonly [K in PromotedKind]: ReadonlyMap<string, DocumentOf[K]> }

type Sides = Readonly<Record<'source' | 'target' | 'base', Index>>

function toIndex(content: Content = { flags: [], segments: [] }): Index {
  return { flag: byKey(content.flags), segment: byKey(content.segments) }
}

function byKey<D extends { readonly key: string }>(documents: readonly D[]): Map<string, D> {
  return new Map(documents.map((one) => [one.key, one]))
}

function getSource<K extends PromotedKind>(sides: Sides, kind: K, key: string): DocumentOf[K] {
  const index: Index[K] = sides.source[kind]
  const found = index.get(key)
  if (found === undefined) throw new RangeError(`the source has no ${kind} "${key}"`)
  return found
}

function planObject<K extends PromotedKind>(
  kind: K,
  key: string,
  sides: Sides,
  { withState = false, resolve }: PromoteRequest,
): PromotedObject<K> {
  const targets: Index[K] = sides.target[kind]
  const bases: Index[K] = sides.base[kind]
  const sent = dropIds(kind, getSource(sides, kind, key))
  const [present, ancestor] = [targets.get(key), bases.get(key)]
  const stateful = (document: DocumentOf[K]) => withEnabledOf(document, withState ? sent : present)
  const unrelated = { neededBy: [], alsoUsedBy: [] }
  if (present === undefined) {
    const document = stateful(sent)
    const changes = diffDocuments(kind, undefined, document)
    const since = { sourceChanges: [], targetChanges: [] }
    return { kind, key, verdict: 'created', document, changes, ...since, ...unrelated }
  }
  const compared = compare(kind, sent, present, ancestor)
  const verdict = (compared === 'conflict' && resolutionOf(resolve?.(kind, key))) || compared
  const takesSource = verdict === 'updated' || verdict === 'conflict'
  const document = stateful(takesSource ? sent : dropIds(kind, present))
  const changes = diffDocuments(kind, present, adoptIds(kind, present, document))
  const changesSince = (now: DocumentOf[K]) =>
    ancestor === undefined || compared === 'equal' || compared === 'updated'
      ? []
      : diffDocuments(kind, ancestor, adoptIds(kind, ancestor, withEnabledOf(now, ancestor)))
  return {
    ...{ kind, key, document, changes },
    // Of an object that stays otherwise, the state alone may differ.
    verdict: takesSource || changes.length === 0 ? verdict : 'updated',
    sourceChanges: changesSince(sent),
    targetChanges: changesSince(present),
    ...unrelated,
  }
}

function resolutionOf(resolution: Resolution | undefined): Verdict | undefined {
  return resolution && ({ ours: 'kept', theirs: 'updated' } as const)[resolution]
}

function compare<K extends PromotedKind>(
  kind: K,
  source: DocumentOf[K],
  target: DocumentOf[K],
  base: DocumentOf[K] | undefined,
): Verdict {
  const textOf = (document: DocumentOf[K]) =>
    canonicalText(kind, withEnabledOf(dropIds(kind, document), undefined))
  const [sourceText, targetText] = [textOf(source), textOf(target)]
  if (sourceText === targetText) return 'equal'
  const baseText = base && textOf(base)
  if (baseText === undefined || baseText === targetText) return 'updated'
  return baseText === sourceText ? 'kept' : 'conflict'
}

/** @param other whose state a flag gets; off without one. Segments have none */
function withEnabledOf<D extends object>(document: D, other: object | undefined): D {
  if (!('enabled' in document)) return document
  const enabled = other !== undefined && 'enabled' in other && other.enabled === true
  return { ...document, enabled }
}
