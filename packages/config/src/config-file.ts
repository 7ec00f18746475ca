import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
} from 'yaml'
import type { ConfigFile } from './config-file-path.ts'
import type { Environment } from './environment.ts'
import { type Found, type Given, problemAt, suggest } from './problems.ts'
import type { SettingIndex } from './setting-index.ts'

interface Reading {
  readonly index: SettingIndex
  readonly document: Document.Parsed
  readonly env: Environment
  /** @returns `file:line:column` of a node */
  readonly toWhere: (node: unknown) => string
}

/** Reads YAML, of which JSON is a part. */
export function readConfigFile(index: SettingIndex, file: ConfigFile, env: Environment): Found {
  const lines = new LineCounter()
  const document = parseDocument(file.text, {
    lineCounter: lines,
    // The library's messages quote the text around an error, which may be a secret.
    prettyErrors: false,
    // Reported by us, with both places.
    uniqueKeys: false,
  })
  const whereAt = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${file.path}:${line}:${col}`
  }
  // What follows a first error in the syntax is mostly its consequence.
  const [error] = [...document.errors, ...document.warnings]
  if (error !== undefined) {
    return { given: [], problems: [problemAt(whereAt(error.pos[0]), syntaxProblem(error.code))] }
  }
  const reading = { index, document, env, toWhere: (node: unknown) => whereAt(offsetOf(node)) }
  const lost = findLostAlias(document)
  if (lost !== undefined) {
    return { given: [], problems: [problemAt(reading.toWhere(lost), syntaxProblem('BAD_ALIAS'))] }
  }
  const parts = [...readSection(reading, document.contents, '', whereAt(0))]
  return {
    given: parts.filter((part) => typeof part === 'object'),
    problems: parts.filter((part) => typeof part === 'string'),
  }
}

/** The values as they stand, and a line for everything that cannot be one. */
type Parts = Generator<Given | string>

function* readSection(reading: Reading, section: unknown, key: string, where: string): Parts {
  const node = follow(reading, section)
  if (isMap(node)) for (const pair of node.items) yield* readPair(reading, pair, key)
  else if (!isEmpty(node)) {
    const name = key || 'the file'
    yield problemAt(where, `${name} must hold "key: value" lines, not a value of its own`)
  }
}

function* readPair(reading: Reading, pair: Pair, parent: string): Parts {
  const { index } = reading
  const node = follow(reading, pair.key)
  const where = reading.toWhere(pair.key)
  const name = isScalar(node) ? String(node.source ?? node.value) : ''
  const written = parent ? `${parent}.${name}` : name
  const key = written.toLowerCase()
  const setting = index.find(key)
  // Without a colon it may well be a value that lost its key, so it is not repeated.
  if (pair.value === null || !/^[A-Za-z0-9_.-]{1,64}$/.test(name)) {
    yield problemAt(
      where,
      `this is not a setting${parent && ` of ${parent}`}`,
      'Write "key: value"',
    )
  } else if (setting !== undefined) yield* readValue(reading, { setting, key }, pair.value, where)
  else if (index.isSection(key)) yield* readSection(reading, pair.value, key, where)
  else if (!index.isOpen(key)) {
    yield problemAt(where, `${written} is not a setting`) + suggest(key, index, index.namesFor(key))
  }
}

function* readValue(
  reading: Reading,
  written: Pick<Given, 'setting' | 'key'>,
  node: unknown,
  where: string,
): Parts {
  const { setting, key } = written
  const value = follow(reading, node)
  if (isEmpty(value)) {
    yield problemAt(where, `${key} has no value`, 'Give it one or remove the line')
    return
  }
  const culprit = variableIn(value) ? 'the variable it names' : 'it here'
  const instead = setting.variable === undefined ? '' : ` or set ${setting.variable}`
  const given = { ...written, where, remedy: `Correct ${culprit}${instead}` }
  if (isSeq(value)) {
    const items = value.items.map((item) => readScalar(reading, item))
    yield { ...given, value: items, whereItems: value.items.map(reading.toWhere) }
  } else if (setting.isMap && isMap(value)) {
    const entries = value.items.map((pair) => readEntry(reading, pair))
    yield { ...given, value: Object.fromEntries(entries) }
    const twice = value.items.find((_, i) =>
      entries.slice(0, i).some(([k]) => k === entries[i]?.[0]),
    )
    if (twice) yield problemAt(reading.toWhere(twice.key), `${key} has this key twice`, 'Keep one')
  } else yield { ...given, value: readScalar(reading, value) }
}

/** Keys of maps are the same in any case. */
function readEntry(reading: Reading, pair: Pair): [string, unknown] {
  const node = follow(reading, pair.key)
  const name = isScalar(node) ? String(node.source ?? node.value) : ''
  const value = follow(reading, pair.value)
  return [
    name.toLowerCase(),
    isSeq(value)
      ? value.items.map((item) => readScalar(reading, item))
      : readScalar(reading, pair.value),
  ]
}

/** @returns what a scalar holds or names; for anything else something that no setting accepts */
function readScalar(reading: Reading, node: unknown): unknown {
  const scalar = follow(reading, node)
  if (!isScalar(scalar)) return {}
  const variable = variableIn(scalar)
  return variable === undefined ? scalar.value : (reading.env[variable] ?? '')
}

/** @returns NAME, when the whole value is `${NAME}` */
function variableIn(node: unknown): string | undefined {
  const { value } = isScalar(node) ? node : {}
  return typeof value === 'string' ? /^\$\{(\w+)\}$/.exec(value)?.[1] : undefined
}

function follow({ document }: Reading, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node
}

function isEmpty(node: unknown): boolean {
  return node === null || node === undefined || (isScalar(node) && node.value === null)
}

function offsetOf(node: unknown): number {
  const isNode = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)
  return (isNode && node.range?.[0]) || 0
}

/** The library looks an anchor up only when its alias is followed. */
function findLostAlias(document: Document.Parsed): unknown {
  let lost: unknown
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return undefined
      lost = alias
      return visit.BREAK
    },
  })
  return lost
}

const syntaxProblems: Readonly<Partial<Record<ErrorCode, string>>> = {
  TAB_AS_INDENT: 'the line begins with a tab. Indent with spaces',
  BAD_INDENT:
    'the indent is wrong, or a bracket is not closed. Give keys of one group the same indent',
  MISSING_CHAR: 'a closing quote or bracket, a comma or a colon is missing here. Add it',
  BAD_ALIAS: 'there is no such anchor. Put values that begin with * in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'two keys stand in one line. Begin a new, indented line, or put the value in quotes',
  MULTIPLE_DOCS: 'a second document begins here. Keep one',
  TAG_RESOLVE_FAILED: 'the tag is not known. Put values that begin with ! in quotes',
}

function syntaxProblem(code: ErrorCode): string {
  return syntaxProblems[code] ?? `this is not valid YAML (${code}). Correct it`
}
