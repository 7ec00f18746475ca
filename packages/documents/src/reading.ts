import { toFloat } from './canonical.ts'
import { DocumentError } from './document-error.ts'
import { join } from './paths.ts'
import { type DocumentOf, type Kind, type Member, type Shape, shapeOf } from './shapes.ts'

/** Maximum depth of metadata: enough for any label, and harmless to what recurses over it. */
export const maxDepth = 64

/**
 * A document from its JSON. Members that are left out or `null` have their zero values. Checked is that
 * each member is one of its message and of its type; what its text may be, and which keys there are,
 * is for the service that stores it. Metadata is shared, not copied.
 *
 * @throws {DocumentError} that names the first member that does not fit
 */
export function toDocument<K extends Kind>(kind: K, value: unknown): DocumentOf[K] {
  // The shape has every member of the message, and each was read by its type.
  return readMessage(shapeOf[kind], value, '') as DocumentOf[K]
}

/**
 * A document from its text: what `canonicalText` made, or any JSON of one.
 *
 * @throws {DocumentError} when it is no JSON, or not a document of the kind
 */
export function readDocument<K extends Kind>(kind: K, text: string): DocumentOf[K] {
  return toDocument(kind, parseJson(text))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new DocumentError('', 'must be JSON', { cause })
  }
}

function readMessage(shape: Shape, value: unknown, path: string): object {
  if (!isObject(value)) throw new DocumentError(path, 'must be an object')
  checkNames(shape, value, path)
  const message: Record<string, unknown> = {}
  for (const [name, member] of shape.entries) {
    message[name] = readMember(member, value[name] ?? undefined, join(path, name))
  }
  return message
}

function checkNames(
  { title, members, oneOf }: Shape,
  value: Readonly<Record<string, unknown>>,
  path: string,
): void {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(members, name)) continue
    const known = Object.keys(members).join(', ')
    throw new DocumentError(join(path, name), `is unknown: ${title} has ${known}`)
  }
  const chosen = oneOf.filter((name) => (value[name] ?? undefined) !== undefined)
  if (chosen.length > 1) throw new DocumentError(path, `may have only one of ${chosen.join(', ')}`)
}

function readMember(member: Member, value: unknown, path: string): unknown {
  switch (member.type) {
    case 'text':
      return value === undefined ? '' : toText(value, path)
    case 'boolean':
      if (value === undefined || typeof value === 'boolean') return value ?? false
      throw new DocumentError(path, 'must be true or false')
    case 'float':
      return toNumber(value ?? 0, path)
    case 'enum':
      return toEnum(member.values, value ?? member.values[0], path)
    case 'texts':
      return toList(value ?? [], path).map((item, index) => toText(item, `${path}[${index}]`))
    case 'json':
      return value === undefined ? undefined : toMetadata(value, path)
    case 'message':
      return value === undefined ? undefined : readMessage(member.shape, value, path)
    case 'list':
      return toList(value ?? [], path).map((item, index) =>
        readMessage(member.shape, item, `${path}[${index}]`),
      )
  }
}

function toText(value: unknown, path: string): string {
  if (typeof value === 'string') return value
  throw new DocumentError(path, 'must be a string')
}

function toNumber(value: unknown, path: string): number {
  const number = typeof value === 'number' ? toFloat(value) : Number.NaN
  if (!Number.isFinite(number)) throw new DocumentError(path, 'must be a number')
  // The zero value has no sign.
  return number || 0
}

function toEnum(values: readonly string[], value: unknown, path: string): string {
  const known = values.find((name) => name === value)
  if (known !== undefined) return known
  throw new DocumentError(path, `must be one of ${values.join(', ')}`)
}

function toList(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new DocumentError(path, 'must be a list')
}

function toMetadata(value: unknown, path: string): object | undefined {
  if (!isObject(value)) throw new DocumentError(path, 'must be an object')
  checkJson(value, path, maxDepth)
  return Object.keys(value).length === 0 ? undefined : value
}

function checkJson(value: unknown, path: string, depth: number): void {
  // JSON text may have 1e999, but not what it is read as.
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new DocumentError(path, 'must hold finite numbers only')
  }
  if (typeof value !== 'object' || value === null) return
  if (depth === 0)
    throw new DocumentError(path, `must not be nested deeper than ${maxDepth} levels`)
  for (const part of Object.values(value)) checkJson(part, path, depth - 1)
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
