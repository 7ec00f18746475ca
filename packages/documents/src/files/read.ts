import type { FlagDocument, SegmentDocument } from '@svc/proto/resource/v1/documents'
import { findNearest } from '../nearest.ts'
import { type FileProblem, FilesError } from './file-problem.ts'
import { fileShapes } from './file-shapes.ts'
import { Lines } from './lines.ts'
import { type Found, isNull, NodeReader, type Place } from './node-reader.ts'
import { readFlag } from './read-flag.ts'
import { readKey } from './read-names.ts'
import { readSegment } from './read-segment.ts'
import { parseSource, type Source, SyntaxProblem } from './source.ts'
import { readVersion, type Version } from './versions.ts'

/** A file that was read from somewhere. */
export interface FileText {
  /** For messages; its ending says what it is: `.yml`, `.yaml` or `.json`. `-` is YAML. */
  readonly name: string
  readonly text: string
  /** The namespace of documents that name none. @default "default" */
  readonly namespaceKey?: string | undefined
  /**
   * Whether a document that names another namespace is an error.
   * @default false
   */
  readonly isBound?: boolean
}

export interface ReadOptions {
  /** Whether a member that means nothing is an error, or a warning. @default 'refuse' */
  readonly unknownMembers?: 'refuse' | 'warn'
  /**
   * Whether rules may only name segments of the same files: what is checked without a service.
   * @default false
   */
  readonly isComplete?: boolean
}

/** What files have of one namespace. */
export interface NamespaceFiles {
  readonly namespaceKey: string
  /** Name and description; left out where no file has more than its key. */
  readonly settings: { readonly name: string; readonly description: string } | undefined
  /** In the order of the files; without ids. */
  readonly flags: readonly FlagDocument[]
  readonly segments: readonly SegmentDocument[]
  /** @returns where an object is, such as `flags.yml:12:3` */
  placeOf(kind: 'flag' | 'segment', key: string): string | undefined
}

export interface ReadFiles {
  /** In the order in which the files name them first. */
  readonly namespaces: readonly NamespaceFiles[]
  /** What was passed over. */
  readonly warnings: readonly FileProblem[]
}

/**
 * Reads files of the format of the established v1 API, versions 1.0 to 1.4: YAML, or JSON objects one after
 * the other. Each document is about one namespace; several may be about the same one.
 *
 * @throws {FilesError} with all problems, the first hundred at most
 */
export function readFiles(files: readonly FileText[], options: ReadOptions = {}): ReadFiles {
  const reading = new Reading(options)
  for (const file of files) reading.read(file)
  return reading.finish()
}

/** What follows a hundred problems is mostly their consequence. */
const maxProblems = 100

/** Ends the reading. */
class TooManyProblems extends Error {}

/** A namespace while files are read. */
interface Gathered {
  readonly namespaceKey: string
  settings: NamespaceFiles['settings']
  readonly flags: FlagDocument[]
  readonly segments: SegmentDocument[]
  /** By kind and key. */
  readonly places: Map<string, string>
  /** The segments that rules and rollouts name, where isComplete asks for them. */
  readonly uses: SegmentUse[]
}

interface SegmentUse {
  readonly key: string
  readonly problem: (message: string) => void
}

/** What is read of several files. */
class Reading {
  readonly #options: ReadOptions
  readonly #namespaces = new Map<string, Gathered>()
  readonly #problems: FileProblem[] = []
  readonly #warnings: FileProblem[] = []

  constructor(options: ReadOptions) {
    this.#options = options
  }

  read(file: FileText): void {
    try {
      this.#readFile(file)
    } catch (error) {
      if (!(error instanceof TooManyProblems)) throw error
    }
  }

  /** @throws {FilesError} */
  finish(): ReadFiles {
    if (this.#options.isComplete === true) this.#checkUses()
    if (this.#problems.length > 0) throw new FilesError(this.#problems)
    const namespaces = [...this.#namespaces.values()].map(({ places, uses: _, ...namespace }) => ({
      ...namespace,
      placeOf: (kind: 'flag' | 'segment', key: string) => places.get(`${kind} ${key}`),
    }))
    return { namespaces, warnings: this.#warnings }
  }

  #readFile(file: FileText): void {
    const text = file.text.startsWith('\uFEFF') ? file.text.slice(1) : file.text
    const lines = new Lines(text)
    try {
      const source = parseSource(text, formatOf(file.name))
      let version: Version | undefined
      for (const document of source.documents) {
        const reader = new NodeReader(source.format, document, this.#collect(file, lines))
        if (isNull(reader.root)) continue
        version = this.#readDocument(file, lines, reader, version)
      }
    } catch (error) {
      if (!(error instanceof SyntaxProblem)) throw error
      this.#report(this.#problems, file, lines, { path: '', offset: error.offset }, error.message)
    }
  }

  #readDocument(
    file: FileText,
    lines: Lines,
    reader: NodeReader,
    fileVersion: Version | undefined,
  ): Version {
    const { root } = reader
    const members = reader.members(root, fileShapes.document)
    const version = fileVersion ?? readVersion(reader, members.get('version'))
    const namespace = this.#readNamespace(file, reader, members.get('namespace'))
    const add = <D extends { readonly key: string }>(
      kind: 'flag' | 'segment',
      list: D[],
      place: Place,
      document: D,
    ) => {
      const { line, column } = lines.placeOf(place.offset)
      const id = `${kind} ${document.key}`
      const other = namespace.places.get(id)
      if (other !== undefined)
        reader.problem(place, `${kind} "${document.key}" is in ${other}, too`)
      else namespace.places.set(id, `${file.name}:${line}:${column}`)
      list.push(document)
    }
    for (const place of reader.elements(members.get('flags'))) {
      const flag = readFlag(reader, place, version)
      add('flag', namespace.flags, place, flag)
      for (const key of segmentsOf(flag)) {
        namespace.uses.push({ key, problem: (message) => reader.problem(place, message) })
      }
    }
    for (const place of reader.elements(members.get('segments'))) {
      add('segment', namespace.segments, place, readSegment(reader, place))
    }
    return version
  }

  /** The key of a namespace, or an object that also has its name. */
  #readNamespace(file: FileText, reader: NodeReader, place: Place | undefined): Gathered {
    const preset = file.namespaceKey ?? 'default'
    if (place === undefined || isNull(place)) return this.#gather(preset)
    if (reader.entries(place) === undefined) {
      const key = readKey(reader, place, place) || preset
      checkBound(file, reader, place, key)
      return this.#gather(key)
    }
    const members = reader.members(place, fileShapes.namespace)
    const key = members.has('key') ? readKey(reader, members.get('key'), place) : preset
    checkBound(file, reader, members.get('key') ?? place, key || preset)
    const name = reader.text(members.get('name'))
    const description = reader.text(members.get('description'))
    const namespace = this.#gather(key || preset)
    if (name !== '' || description !== '') {
      namespace.settings ??= { name: name || key, description }
    }
    return namespace
  }

  #gather(namespaceKey: string): Gathered {
    const present = this.#namespaces.get(namespaceKey)
    if (present !== undefined) return present
    const namespace: Gathered = {
      ...{ namespaceKey, settings: undefined, flags: [], segments: [] },
      ...{ places: new Map(), uses: [] },
    }
    this.#namespaces.set(namespaceKey, namespace)
    return namespace
  }

  #checkUses(): void {
    try {
      for (const { uses, places, segments } of this.#namespaces.values()) {
        for (const { key, problem } of uses) {
          if (places.has(`segment ${key}`)) continue
          const nearest = findNearest(
            key,
            segments.map((segment) => segment.key),
          )
          const hint = nearest === undefined ? '' : `. Did you mean "${nearest}"?`
          problem(`the segment "${key}" is in none of the files${hint}`)
        }
      }
    } catch (error) {
      if (!(error instanceof TooManyProblems)) throw error
    }
  }

  #collect(file: FileText, lines: Lines): Found {
    const collect = (list: FileProblem[]) => (place: Omit<Place, 'node'>, message: string) =>
      this.#report(list, file, lines, place, message)
    const problem = collect(this.#problems)
    const { unknownMembers = 'refuse' } = this.#options
    return {
      problem,
      unknown: unknownMembers === 'refuse' ? problem : collect(this.#warnings),
    }
  }

  #report(
    list: FileProblem[],
    { name: file }: FileText,
    lines: Lines,
    { path, offset }: Omit<Place, 'node'>,
    message: string,
  ): void {
    list.push({
      file,
      ...lines.placeOf(offset),
      path: printable(path),
      message: printable(message),
    })
    if (list.length >= maxProblems) throw new TooManyProblems()
  }
}

function checkBound(
  { namespaceKey, isBound = false }: FileText,
  reader: NodeReader,
  place: Place,
  key: string,
): void {
  if (!isBound || key === namespaceKey) return
  reader.problem(place, `is "${key}": all that is in this folder is of "${namespaceKey}"`)
}

/** Of a path or message, which may quote a file: a terminal would take control characters for commands. */
const maxLength = 500

function printable(text: string): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return cut.replace(
    /\p{Cc}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function segmentsOf({ rules, rollouts }: FlagDocument): Set<string> {
  const lists = [
    ...rules.map(({ segments }) => segments),
    ...rollouts.map(({ segment }) => segment?.segments ?? []),
  ]
  return new Set(lists.flat().filter((key) => key !== ''))
}

/** @throws {SyntaxProblem} */
function formatOf(name: string): Source['format'] {
  if (name === '-') return 'yaml'
  const [, ending = ''] = /\.([^./\\]*)$/.exec(name.toLowerCase()) ?? []
  if (ending === 'yml' || ending === 'yaml') return 'yaml'
  if (ending === 'json') return 'json'
  throw new SyntaxProblem(
    0,
    'what is in it is not known: its name must end in .yml, .yaml or .json',
  )
}
