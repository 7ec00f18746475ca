import type { FlagDocument, SegmentDocument } from '@svc/proto/resource/v1/documents'
import { toExactJson } from './exact-json.ts'
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
 * each: block YAML, or a line of JSON. What `readFiles` makes of it is written as the same bytes.
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

/** One line for a document. */
function* jsonPieces(head: object, lists: Lists): Generator<string, void> {
  yield toExactJson(head).slice(0, -1)
  for (const [name, list] of Object.entries(lists)) {
    for (const [place, toValue] of list.entries()) {
      yield place === 0 ? `,${JSON.stringify(name)}:[` : ','
      yield toExactJson(toValue())
    }
    if (list.length > 0) yield ']'
  }
  yield '}\n'
}
