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
  let found: Found | undefined
  const look = (fields: Fields, value: JsonObject, path: string): void => {
    for (const name in value) {
      const inner = fields.get(name)
      if (inner === undefined) {
        found ??= { names: new Set(), length: 0, others: 0 }
        note(found, path + name)
      } else if (inner !== 'leaf') {
        for (const item of itemsOf(value[name], inner)) {
          if (isObject(item)) look(fieldsOf(inner.message), item, `${path}${name}.`)
        }
      }
    }
  }
  look(fieldsOf(message), body, '')
  return found && describe(found)
}

interface Found {
  readonly names: Set<string>
  /** Of all names as they are written in the end. */
  length: number
  others: number
}

function note(found: Found, name: string): void {
  const { names } = found
  if (names.has(name)) return
  const length = found.length + name.length + (names.size > 0 ? ', '.length : 0)
  if (names.size < maxNames && length <= maxNamedBytes && plain.test(name)) {
    names.add(name)
    found.length = length
  } else {
    found.others += 1
  }
}

function describe({ names, others }: Found): string {
  return [...names, ...(others > 0 ? [`+${others}`] : [])].join(', ')
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
