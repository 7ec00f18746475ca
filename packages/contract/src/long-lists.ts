import { type Message, toBinary } from '@bufbuild/protobuf'
import type { Operation } from './contract.ts'
import { decodeMessage } from './decode.ts'
import type { JsonObject } from './json.ts'

/** Elements that are encoded at once: a fraction of a millisecond, unless they are large. */
const sliceLength = 32

/** A request with a list of messages that is too long to be decoded in one turn of the event loop. */
export interface LongList {
  /** The body without the list. */
  readonly rest: JsonObject
  /**
   * Encodes the list by slices. They follow the encoded rest: of parts of a message that follow each other,
   * the lists are joined.
   *
   * @throws {AppError} `invalid_argument` for what does not fit the request message
   */
  encode(): Generator<Uint8Array, void>
}

/**
 * @returns nothing for a request without such a list. One that names the namespace of the request is none: it
 *   is read before that.
 */
export function findLongList(
  { input, access }: Pick<Operation, 'input' | 'access'>,
  body: JsonObject,
): LongList | undefined {
  const { scope } = access
  const [scoped] = scope.case === 'namespace' ? scope.field : []
  for (const field of input.fields) {
    if (field.fieldKind !== 'list' || field.listKind !== 'message') continue
    const { jsonName, name } = field
    if (jsonName === scoped || (name !== jsonName && name in body)) continue
    const { [jsonName]: list, ...rest } = body
    if (Array.isArray(list) && list.length > sliceLength) {
      return { rest, encode: () => encodeSlices(input, jsonName, list) }
    }
  }
  return undefined
}

function* encodeSlices(
  input: Operation['input'],
  jsonName: string,
  list: readonly unknown[],
): Generator<Uint8Array, void> {
  for (let from = 0; from < list.length; from += sliceLength) {
    const slice = list.slice(from, from + sliceLength)
    yield toBinary(input, decodeSlice(input, jsonName, slice, from))
  }
}

function decodeSlice(
  input: Operation['input'],
  jsonName: string,
  slice: readonly unknown[],
  from: number,
): Message {
  try {
    return decodeMessage(input, { [jsonName]: slice })
  } catch (error) {
    // With its place in the whole list, which the error names.
    const before = Array.from({ length: from }, () => ({}))
    decodeMessage(input, { [jsonName]: [...before, ...slice] })
    throw error
  }
}
