export {
  type AccessRule,
  type Answerer,
  type Area,
  type Binding,
  type BoundOperation,
  type Contract,
  loadContract,
  type Operation,
  type Route,
} from './contract.ts'
export { decodeRequest, type UrlValues, withPath } from './decode.ts'
export { encodeResponse } from './encode.ts'
export { parseEscapedNames } from './escaped-names.ts'
export {
  checkFields,
  type FieldRule,
  type FieldRules,
  invalidKey,
  isKey,
  keyPattern,
  maxKeyLength,
} from './fields.ts'
export { findIgnored } from './ignored-names.ts'
export { isObject, type JsonObject, wrongValues } from './json.ts'
export { defaultNamespaceKey, resolveNamespaceKey, resolveNamespaces } from './namespaces.ts'
export { readQuery } from './query.ts'
export { isTimestamp, toProtoTimestamp } from './timestamp.ts'
