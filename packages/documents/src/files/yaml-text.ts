import { Document, Pair, Scalar, type ScalarTag, YAMLMap, YAMLSeq } from 'yaml'
import { ExactNumber } from './exact-json.ts'
import { isPlainText, isTextToAll } from './yaml-quotes.ts'

/** Prints numbers as they are written. */
const exactNumber: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => value instanceof ExactNumber,
  resolve: (text) => text,
  stringify: ({ value }) => (value instanceof ExactNumber ? value.text : String(value)),
}

/**
 * A value as block YAML, as the established service writes it: dashes are not indented, lines are not folded,
 * and a text is quoted where a reader might take it for something else.
 */
export function toYamlText(value: unknown): string {
  const document = new Document(toNode(value), { customTags: [exactNumber] })
  return document.toString({
    lineWidth: 0,
    indentSeq: false,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  })
}

function toNode(value: unknown): Scalar | YAMLMap | YAMLSeq {
  if (value instanceof Map) return toMap([...value])
  if (Array.isArray(value)) {
    const list = new YAMLSeq()
    list.items = value.map(toNode)
    return list
  }
  if (typeof value === 'string') return toText(value)
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) {
    return new Scalar(value)
  }
  return toMap(Object.entries(value))
}

function toMap(entries: readonly (readonly [name: string, value: unknown])[]): YAMLMap {
  const map = new YAMLMap()
  map.items = entries
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => new Pair(toText(name), toNode(value)))
  return map
}

function toText(text: string): Scalar {
  const scalar = new Scalar(text)
  if (text.includes('\n')) scalar.type = mayBeBlock(text) ? 'BLOCK_LITERAL' : 'QUOTE_DOUBLE'
  else if (!isTextToAll(text)) scalar.type = 'QUOTE_DOUBLE'
  else if (!isPlainText(text)) scalar.type = 'QUOTE_SINGLE'
  return scalar
}

/** White space at the end of a line would not be seen, and be lost with some editors. */
function mayBeBlock(text: string): boolean {
  return !/[ \t](?:\n|$)/.test(text)
}
