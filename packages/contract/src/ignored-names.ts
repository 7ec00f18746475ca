import type { DescField, DescMessage } from '@bufbuild/protobuf'
import { isObject, type JsonObject } from './json.ts'

/** Bounds of the header: enough to see a slip, and nothing that a proxy would refuse. */
const maxNames = 10
const maxBytes = 256

/** Leaves room for the count of those that are not named: a body has at most 4 MiB. */
const maxNamedBytes = maxBytes - ', +4194304'.length

/** What may stand in a header as it is. */
const plain = /^[-.\w]+$/

/**
 * The names in a body that its message does not have, each with the way to it, once however many items
 * of a list have it: `enabledd, threshold.valeu, +2`. The number counts further ones, which are too many,
 * too long, or not plain. Takes time in proportion to the body, and next to none for a usual one.
 *
 * @returns nothing when there are none
 */
export function findIgnored(message: DescMessage, body: JsonObject): string | undefined {
  const found: string[] = []
  look(fieldsOf(message), body, '', found)
  if (found.length === 0) return undefined
  const names = new Set<string>()
  let others = 0
  for (const name of found) {
    if (names.has(name)) continue
    const bytes = [...names, name].join(', ').length
    if (names.size === maxNames || bytes > maxNamedBytes || !plain.test(name)) others++
    else names.add(name)
  }
  return [...names, ...(others > 0 ? [`+${others}`] : [])].join(', ')
}

function look(fields: Fields, value: JsonObject, path: string, found: string[]): void {
  for (const name in value) {
    const inner = fields.get(name)
    if (inner === undefined) found.push(path + name)
    else if (inner !== 'leaf') {
      for (const item of itemsOf(value[name], inner)) {
        if (isObject(item)) look(fieldsOf(inner.message), item, `${path}${name}.`, found)
      }
    }
  }
}

/** What is to be looked into below a name; or nothing, whatever is there. */
type Inner = 'leaf' | { readonly message: DescMessage; readonly isList: boolean }

/** By name, in both spellings. */
type Fields = ReadonlyMap<string, Inner>

const known = new WeakMap<DescMessage, Fields>()

/** Compiled once for each message. */
function fieldsOf(message: DescMessage): Fields {
  const before = known.get(message)
  if (before !== undefined) return before
  const fields = new Map(
    message.fields.flatMap((field) => {
      const inner = innerOf(field)
      return [
        [field.jsonName, inner],
        [field.name, inner],
      ]
    }),
  )
  known.set(message, fields)
  return fields
}

function innerOf({ fieldKind, message }: DescField): Inner {
  // What is of a type of Google's is text, or names of the caller's own.
  if (message === undefined || fieldKind === 'map' || message.typeName.startsWith('google.')) {
    return 'leaf'
  }
  return { message, isList: fieldKind === 'list' }
}

/** One known client sends its lists of objects as objects. */
function itemsOf(value: unknown, { isList }: Exclude<Inner, 'leaf'>): readonly unknown[] {
  if (!isList) return [value]
  if (Array.isArray(value)) return value
  return isObject(value) ? Object.values(value) : []
}
