import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
} from 'yaml'
import type { ConfigFile, Environment } from './files.ts'
import { type Found, type Given, problemAt } from './given.ts'
import type { Setting, SettingIndex } from './setting-index.ts'
import { suggest } from './suggest.ts'

interface Reading {
  readonly index: SettingIndex
  readonly document: Document.Parsed
  readonly env: Environment
  /** @returns `file:line:column` of a node */
  readonly toWhere: (node: unknown) => string
}

/** Depth of the deepest value: a list in a map. */
const maxDepth = 2

/** Reads YAML, of which JSON is a part. */
export function* readConfigFile(index: SettingIndex, file: ConfigFile, env: Environment): Found {
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
  const toWhere = (node: unknown) => whereAt((isNode(node) && node.range?.[0]) || 0)
  // What follows a first error in the syntax is mostly its consequence.
  const [error] = [...document.errors, ...document.warnings]
  const lost = findLostAlias(document)
  if (error !== undefined) yield problemAt(whereAt(error.pos[0]), syntaxProblem(error.code))
  else if (lost !== undefined) yield problemAt(toWhere(lost), syntaxProblem('BAD_ALIAS'))
  else {
    const reading = { index, document, env, toWhere }
    yield* withVariables(index, [...readSection(reading, document.contents, '', whereAt(0))])
  }
}

/** Adds the variable that could be set instead, unless that is one of another setting of the file. */
function* withVariables(index: SettingIndex, found: readonly (Given | string)[]): Found {
  const keys = found.flatMap((one) => (typeof one === 'string' ? [] : one.setting.key))
  for (const one of found) {
    const variable = typeof one === 'string' ? undefined : one.setting.variable
    if (typeof one === 'string' || variable === undefined) yield one
    else if (index.findVariable(variable, keys)?.setting.key !== one.setting.key) yield one
    else yield { ...one, remedy: `${one.remedy} or set ${variable}` }
  }
}

function* readSection(reading: Reading, section: unknown, key: string, where: string): Found {
  const node = follow(reading, section)
  if (isMap(node)) for (const pair of node.items) yield* readPair(reading, pair, key)
  else if (!isEmpty(node)) {
    const name = key || 'the file'
    yield problemAt(where, `${name} must hold "key: value" lines, not a value of its own`)
  }
}

function* readPair(reading: Reading, pair: Pair, parent: string): Found {
  const { index } = reading
  const where = reading.toWhere(pair.key)
  const name = nameOf(reading, pair)
  const written = parent ? `${parent}.${name}` : name
  const key = written.toLowerCase()
  const setting = index.find(key)
  // Without a colon it may well be a value that lost its key, so it is not repeated.
  if (pair.value === null || !/^[A-Za-z0-9_.-]{1,64}$/.test(name)) {
    const section = parent && ` of ${parent}`
    yield problemAt(where, `this is not a setting${section}`, 'Write "key: value"')
  } else if (setting !== undefined) yield* readValue(reading, setting, key, pair)
  else if (index.isSection(key)) yield* readSection(reading, pair.value, key, where)
  else if (!index.isOpen(key)) {
    yield problemAt(where, `${written} is not a setting`) + suggest(key, index)
  }
}

function* readValue(reading: Reading, setting: Setting, key: string, pair: Pair): Found {
  const where = reading.toWhere(pair.key)
  const node = follow(reading, pair.value)
  if (isEmpty(node)) {
    yield problemAt(where, `${key} has no value`, 'Give it one or remove the line')
    return
  }
  const culprit = variableIn(node) === undefined ? 'it here' : 'the variable it names'
  yield {
    ...{ setting, key, where, remedy: `Correct ${culprit}` },
    value: toPlain(reading, node, maxDepth),
    whereItems: isSeq(node) ? node.items.map(reading.toWhere) : [],
  }
  const entries = setting.isMap && isMap(node) ? node.items : []
  const names = entries.map((entry) => nameOf(reading, entry).toLowerCase())
  const twice = entries.find((_, i) => names.indexOf(names[i] ?? '') < i)
  if (twice) yield problemAt(reading.toWhere(twice.key), `${key} has this key twice`, 'Keep one')
}

/** Replaces variables. Keys of maps are the same in any case. No setting accepts what is too deep. */
function toPlain(reading: Reading, given: unknown, depth: number): unknown {
  const node = follow(reading, given)
  if (isScalar(node)) {
    const variable = variableIn(node)
    return variable === undefined ? node.value : (reading.env[variable] ?? '')
  }
  if (isSeq(node) && depth > 0) return node.items.map((item) => toPlain(reading, item, depth - 1))
  if (!isMap(node) || depth === 0) return {}
  return Object.fromEntries(
    node.items.map((pair) => [
      nameOf(reading, pair).toLowerCase(),
      toPlain(reading, pair.value, depth - 1),
    ]),
  )
}

function nameOf(reading: Reading, { key }: Pair): string {
  const node = follow(reading, key)
  return isScalar(node) ? String(node.source ?? node.value) : ''
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

/** The library looks an anchor up only when its alias is followed. */
function findLostAlias(document: Document.Parsed): unknown {
  let lost: unknown
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) === undefined) lost ??= alias
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
