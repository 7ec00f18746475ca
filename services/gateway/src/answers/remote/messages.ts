import { type Message, toBinary } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import {
  type BoundOperation,
  decodeRequest,
  findIgnored,
  type JsonObject,
  type Operation,
  resolveNamespaces,
  type UrlValues,
} from '@svc/contract'

/** A request as its service takes it, and what the gateway has to know of it. */
export interface EncodedRequest {
  readonly bytes: Uint8Array
  /** Every namespace that it is about, resolved. */
  readonly namespaceKeys: readonly string[]
  /** For the request log. */
  readonly flagKeys: readonly string[]
  /** Names in the body that mean nothing, as a header has them; nothing when there are none. */
  readonly ignored: string | undefined
}

/** @throws {AppError} `invalid_argument` for what does not fit the request message */
export function encodeRequest(
  bound: BoundOperation,
  url: UrlValues,
  body: JsonObject,
): EncodedRequest {
  const { operation, binding } = bound
  const { access, input, route } = operation
  const message = decodeRequest(bound, url, body)
  // Before it is encoded, for it puts them into the message: the service sees what was authorized.
  const namespaceKeys = resolveNamespaces(access, message)
  return {
    bytes: toBinary(input, message),
    namespaceKeys,
    flagKeys: flagKeysOf(operation, message),
    ignored: binding.hasBody && route.body === 'JSON' ? findIgnored(input, body) : undefined,
  }
}

/** The key of the flag that a request is about, by the names that the protos have for it. */
function flagKeysOf({ access, input }: Operation, message: Message): readonly string[] {
  const name = access.resource === 'FLAG' ? 'key' : 'flagKey'
  const field = input.fields.find(({ jsonName }) => jsonName === name)
  return field === undefined ? [] : [String(reflect(input, message).get(field))]
}
