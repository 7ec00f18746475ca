export {
  type AccessRule,
  type Binding,
  type BoundMethod,
  type Contract,
  loadContract,
  type Method,
} from './contract.ts'
export { decodeRequest, type UrlValues, withPath } from './decode.ts'
export { encodeResponse } from './encode.ts'
export {
  checkFields,
  type FieldRule,
  type FieldRules,
  invalidKey,
  keyPattern,
  maxKeyLength,
} from './fields.ts'
export { shortestFloat } from './float.ts'
export { findIgnored } from './ignored-names.ts'
export { isObject, type JsonObject, wrongValues } from './json.ts'
export { defaultNamespaceKey, resolveNamespaceKey, resolveNamespaces } from './namespaces.ts'
export { readQuery } from './query.ts'
export { isTimestamp, toProtoTimestamp } from './timestamp.ts'
