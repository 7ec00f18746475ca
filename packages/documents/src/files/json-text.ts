import { isMap, isScalar, isSeq } from 'yaml'
import type { NodeReader, Place } from './node-reader.ts'

/** How numbers are kept. */
export type Numbers =
  /** As they are written. */
  | 'exact'
  /** Those that a double keeps; other whole ones are refused. */
  | 'double'

/** Levels of attachments and metadata that the service takes. */
const maxDepth = 64

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/**
 * A value of a file as JSON without white space. What does not fit is reported, and `null` in its place.
 */
export function toJsonText(reader: NodeReader, place: Place, numbers: Numbers): string {
  return write(reader, place, numbers, maxDepth)
}

function write(reader: NodeReader, place: Place, numbers: Numbers, depth: number): string {
  const { node } = place
  if (!isMap(node) && !isSeq(node)) return scalarText(reader, place, numbers)
  if (depth === 0) {
    reader.problem(place, `must not be nested deeper than ${maxDepth} levels`)
    return 'null'
  }
  if (isSeq(node)) {
    const items = reader.items(place).map((item) => write(reader, item, numbers, depth - 1))
    return `[${items.join()}]`
  }
  const members = [...(reader.entries(place) ?? [])].map(
    ([name, value]) => `${JSON.stringify(name)}:${write(reader, value, numbers, depth - 1)}`,
  )
  return `{${members.join()}}`
}

function scalarText(reader: NodeReader, place: Place, numbers: Numbers): string {
  const value: unknown = isScalar(place.node) ? place.node.value : null
  if (value === null || typeof value === 'boolean' || typeof value === 'string') {
    return JSON.stringify(value)
  }
  const source = reader.sourceOf(place) ?? ''
  if (typeof value === 'number' && numbers === 'exact' && jsonNumber.test(source)) return source
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    reader.problem(place, 'is nothing that JSON has: put it in quotes')
    return 'null'
  }
  if (numbers === 'exact') return plainNumber(source, value)
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return String(value)
  reader.problem(place, 'is a whole number beyond 9007199254740991: put it in quotes')
  return 'null'
}

/** Of the notations that YAML has besides those of JSON. */
function plainNumber(source: string, value: number): string {
  return /^0[xo][\da-f]+$/i.test(source) ? String(BigInt(source)) : String(value)
}
