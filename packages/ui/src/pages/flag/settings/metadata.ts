import type { JsonObject, JsonValue } from '@svc/client/api'

/** A member of the metadata, as it is typed. */
export interface Entry {
  readonly name: string
  /** A text as it is; any other value as JSON. */
  readonly text: string
  readonly isJson: boolean
}

/** The members of the metadata but for the tags, which have a field of their own. */
export function entriesOf(metadata: JsonObject | undefined): readonly Entry[] {
  return Object.entries(metadata ?? {})
    .filter(([name, value]) => name !== 'tags' || !isTags(value))
    .map(([name, value]) => {
      const isJson = typeof value !== 'string'
      return { name, text: isJson ? JSON.stringify(value) : value, isJson }
    })
}

function isTags(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((tag) => typeof tag === 'string')
}

export type EntryProblem = 'noName' | 'taken' | 'noJson' | 'hasNull'

/** @param others the names of the other entries */
export function problemOf(
  { name, text, isJson }: Entry,
  others: readonly string[],
): EntryProblem | undefined {
  if (name === '') return 'noName'
  if (name === 'tags' || others.includes(name)) return 'taken'
  if (!isJson) return undefined
  try {
    return hasNull(JSON.parse(text)) ? 'hasNull' : undefined
  } catch {
    return 'noJson'
  }
}

/** A patch takes away what is `null`: no value can hold one. */
function hasNull(value: unknown): boolean {
  if (value === null) return true
  return typeof value === 'object' && Object.values(value).some(hasNull)
}

/**
 * What turns one entry into another, and what has to be there still. Without `after` it is taken away.
 *
 * @param before the entry when its edit began
 */
export function patchOf(
  before: Entry | undefined,
  after: Entry | undefined,
): { readonly patch: JsonObject; readonly expect: JsonObject | undefined } {
  const known = before && readValue(before)
  const isRenamed = before !== undefined && before.name !== after?.name
  const value = after && readValue(after)
  const changes = {
    ...(isRenamed && { [before.name]: null }),
    ...(after !== undefined &&
      value !== undefined && {
        [after.name]: isRenamed ? value : patchValue(known, value),
      }),
  }
  const expect =
    before !== undefined && known !== undefined && !hasNull(known)
      ? { metadata: { [before.name]: known } }
      : undefined
  return { patch: { metadata: changes }, expect }
}

function readValue({ text, isJson }: Entry): JsonValue {
  return isJson ? JSON.parse(text) : text
}

/** Members that an object loses are `null`: a patch keeps the others. */
function patchValue(before: JsonValue | undefined, after: JsonValue): JsonValue {
  if (!isObject(before) || !isObject(after)) return after
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  return {
    ...Object.fromEntries(gone.map((name) => [name, null])),
    ...Object.fromEntries(
      Object.entries(after).map(([name, value]) => [name, patchValue(before[name], value)]),
    ),
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
