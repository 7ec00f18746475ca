import type { FlagDocument, SegmentDocument } from '@svc/proto/resource/v1/documents'
import { ExactNumber } from './exact-json.ts'
import { byKey, type FileValue, textOf, toFileFlag, toFileSegment } from './to-file.ts'
import { latestVersion } from './versions.ts'
import { toYamlText } from './yaml-text.ts'

/** What is written of one namespace. */
export interface NamespaceContent {
  readonly namespaceKey: string
  readonly settings: { readonly name: string; readonly description: string }
  readonly flags: readonly FlagDocument[]
  readonly segments: readonly SegmentDocument[]
}

export interface WriteOptions {
  readonly format: 'yaml' | 'json'
  /** Flags, variants and segments by their keys; rules and rollouts keep their order. @default false */
  readonly sortByKey?: boolean
  /** Whether it is the first document of its file, which says the version. */
  readonly isFirst: boolean
}

/** The first lines of a file that was written: who has written it, and when. */
export function fileHeader(version: string, at: Date): string {
  return `# exported by svc (${version}) on ${at.toISOString().replace(/\.\d+Z$/, 'Z')}\n\n`
}

/**
 * A namespace as a document of the format of the established v1 API, version 1.4, in pieces of a flag or segment
 * each. What `readFiles` makes of it is written as the same bytes.
 */
export function* writeNamespace(
  { namespaceKey, settings, flags, segments }: NamespaceContent,
  { format, sortByKey = false, isFirst }: WriteOptions,
): Generator<string, void> {
  const sorted = <D extends { readonly key: string }>(documents: readonly D[]) =>
    sortByKey ? documents.toSorted(byKey) : documents
  const head = {
    version: isFirst ? latestVersion : undefined,
    namespace: {
      key: namespaceKey,
      name: textOf(settings.name),
      description: textOf(settings.description),
    },
  }
  const lists = {
    flags: sorted(flags).map((flag) => () => toFileFlag(flag, sortByKey)),
    segments: sorted(segments).map((segment) => () => toFileSegment(segment)),
  }
  yield* format === 'yaml' ? yamlPieces(head, lists, isFirst) : jsonPieces(head, lists)
}

/** Values that are made when they are written: all of them together may be large. */
type Lists = Readonly<Record<string, readonly (() => FileValue)[]>>

function* yamlPieces(head: object, lists: Lists, isFirst: boolean): Generator<string, void> {
  yield `${isFirst ? '' : '---\n'}${toYamlText(head)}`
  for (const [name, list] of Object.entries(lists)) {
    if (list.length > 0) yield `${name}:\n`
    for (const toValue of list) yield toYamlText([toValue()])
  }
}

function* jsonPieces(head: object, lists: Lists): Generator<string, void> {
  const members = Object.entries(head).filter(([, value]) => value !== undefined)
  yield `{\n${members.map((member) => memberText(member, 1)).join(',\n')}`
  for (const [name, list] of Object.entries(lists)) {
    for (const [place, toValue] of list.entries()) {
      yield place === 0 ? `,\n  ${JSON.stringify(name)}: [\n    ` : ',\n    '
      yield toJsonFileText(toValue(), 2)
    }
    if (list.length > 0) yield '\n  ]'
  }
  yield '\n}\n'
}

/** Indented by two spaces a level; numbers as they are written. */
function toJsonFileText(value: unknown, depth: number): string {
  if (value instanceof ExactNumber) return value.text
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  const lines = isList
    ? value.map((item) => indentOf(depth + 1) + toJsonFileText(item, depth + 1))
    : entries
        .filter(([, member]) => member !== undefined)
        .map((member) => memberText(member, depth + 1))
  const [open, close] = isList ? '[]' : '{}'
  if (lines.length === 0) return `${open}${close}`
  return `${open}\n${lines.join(',\n')}\n${indentOf(depth)}${close}`
}

function memberText([name, value]: readonly [string, unknown], depth: number): string {
  return `${indentOf(depth)}${JSON.stringify(name)}: ${toJsonFileText(value, depth)}`
}

function indentOf(depth: number): string {
  return '  '.repeat(depth)
}
