import {
  type Alias,
  type Document,
  isAlias,
  type Node,
  type ParsedNode,
  parseAllDocuments,
  parseDocument,
  visit,
} from 'yaml'

/** One document of a file. */
export interface SourceDocument {
  readonly contents: ParsedNode | null
  /** What is added to the places of its nodes. */
  readonly offset: number
  /** The node that an alias stands for. */
  targetOf(alias: Alias): Node | undefined
}

/** A file as it was parsed. */
export interface Source {
  readonly format: 'yaml' | 'json'
  readonly documents: readonly SourceDocument[]
}

/** Where in a text, and what is wrong there. */
export class SyntaxProblem extends Error {
  override readonly name = 'SyntaxProblem'
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** Half of what it takes to run out of the memory that Node.js has by default. */
const maxLength = 32 * 2 ** 20

/** Nesting of what people write is far below; a parser that recurses survives it. */
const maxDepth = 200

/**
 * Parses a file: YAML, of which JSON is a part, or JSON objects one after the other.
 *
 * @param text without a byte order mark
 * @throws {SyntaxProblem}
 */
export function parseSource(text: string, format: Source['format']): Source {
  if (text.length > maxLength) {
    const most = maxLength / 2 ** 20
    throw new SyntaxProblem(0, `is larger than ${most} Mi characters: split it into several files`)
  }
  return { format, documents: format === 'json' ? parseJson(text) : parseYaml(text) }
}

const options = { prettyErrors: false, uniqueKeys: false, logLevel: 'silent' } as const

function parseYaml(text: string): SourceDocument[] {
  const documents = guardDepth(() => parseAllDocuments<ParsedNode>(text, options))
  // Nothing but comments.
  if (!Array.isArray(documents)) return []
  return documents.map((document) => toSource(document, 0, text))
}

/** @throws {SyntaxProblem} for the first object that is none */
function parseJson(text: string): SourceDocument[] {
  const hasHeader = text.startsWith('#')
  const start = hasHeader ? text.indexOf('\n') + 1 || text.length : 0
  return splitJson(text, start).map(([from, to]) => {
    const json = text.slice(from, to)
    checkJson(json, from)
    const document = guardDepth(() => parseDocument<ParsedNode>(json, options))
    return toSource(document, from, json)
  })
}

/** The objects of a text, each from its first to behind its last character. */
function splitJson(text: string, start: number): (readonly [from: number, to: number])[] {
  const objects: (readonly [number, number])[] = []
  /** Between objects any character matters, within them those that open and close. */
  const [between, within] = [/\S/g, /["{}]/g]
  let [depth, from, at] = [0, start, start]
  for (;;) {
    const mark = depth === 0 ? between : within
    mark.lastIndex = at
    const match = mark.exec(text)
    if (match === null) break
    const [character] = match
    at = match.index + 1
    if (depth === 0) {
      if (character !== '{') throw new SyntaxProblem(match.index, 'must be an object here: {…}')
      from = match.index
    }
    if (character === '"') at = endOfString(text, match.index)
    else if (character === '{') depth += 1
    else if (character === '}') {
      depth -= 1
      if (depth === 0) objects.push([from, match.index + 1])
    }
    if (depth > maxDepth) throw tooDeep(match.index)
  }
  if (depth > 0) objects.push([from, text.length])
  return objects
}

/** The place behind the quote that closes a string; the end of the text where none does. */
function endOfString(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at++) {
    const character = text[at]
    if (character === '\\') at += 1
    else if (character === '"') return at + 1
  }
  return text.length
}

function checkJson(json: string, offset: number): void {
  try {
    JSON.parse(json)
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const place = /position (\d+)/.exec(message)?.[1]
    const isCut = place === undefined && /end of/i.test(message)
    const at = place === undefined ? (isCut ? json.length : 0) : Number(place)
    throw new SyntaxProblem(
      offset + at,
      at >= json.length ? 'the JSON ends too early' : 'is no JSON here',
    )
  }
}

function toSource(document: Document.Parsed, offset: number, text: string): SourceDocument {
  const [error] = [...document.errors, ...document.warnings]
  if (error !== undefined) {
    throw new SyntaxProblem(offset + error.pos[0], messages[error.code] ?? 'is no YAML here')
  }
  const targets = text.includes('*') ? findTargets(document) : new Map<Alias, Node>()
  return {
    contents: document.contents,
    offset,
    targetOf: (alias) => targets.get(alias),
  }
}

/** An alias stands for the last node before it that has its name. */
function findTargets(document: Document.Parsed): Map<Alias, Node> {
  const named = new Map<string, Node>()
  const targets = new Map<Alias, Node>()
  visit(document, {
    Node(_, node) {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) named.set(node.anchor, node)
        return
      }
      const target = named.get(node.source)
      if (target === undefined) {
        throw new SyntaxProblem(
          node.range?.[0] ?? 0,
          `there is no anchor &${node.source.slice(0, 64)} before this`,
        )
      }
      targets.set(node, target)
    },
  })
  return targets
}

/** The parser recurses. What it makes of an overflow is an error of its own, or one of the document. */
function guardDepth<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(0)
    throw error
  }
}

function tooDeep(offset: number): SyntaxProblem {
  return new SyntaxProblem(offset, `is nested deeper than ${maxDepth} levels`)
}

/** What to do about an error of the syntax, by the code of the library. */
const messages: Readonly<Record<string, string>> = {
  ALIAS_PROPS: 'an alias has no tag and no anchor of its own',
  BAD_ALIAS: 'there is no such anchor: put a value that begins with * in quotes',
  BAD_INDENT: 'the indent is wrong, or a bracket is not closed',
  BLOCK_AS_IMPLICIT_KEY: 'two keys stand in one line: begin a new line, or put the value in quotes',
  BLOCK_IN_FLOW: 'a block must not stand within brackets',
  MISSING_CHAR: 'a closing quote or bracket, a comma or a colon is missing here',
  MULTILINE_IMPLICIT_KEY: 'a key must stand in one line: is a colon missing?',
  RESOURCE_EXHAUSTION: 'is nested too deep',
  TAB_AS_INDENT: 'the line begins with a tab: indent with spaces',
  TAG_RESOLVE_FAILED: 'the tag is not known: put a value that begins with ! in quotes',
  UNEXPECTED_TOKEN: 'this is not expected here',
}
