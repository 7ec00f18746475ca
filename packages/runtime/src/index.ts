export { isAddressRange, isAddressWithin } from './addresses.ts'
export {
  type AssertionFault,
  assertCaller,
  assertionKey,
  assertionKeysOf,
  type Caller,
  readAssertion,
} from './assertion.ts'
export { parseDuration } from './config/durations.ts'
export { isGuessable } from './config/guessable.ts'
export { type LoadedSettings, loadSettings, type SettingsSources } from './config/load.ts'
export { requireSetting, SettingsError } from './config/problems.ts'
export { redactedSettings, Secret } from './config/secret.ts'
export type { Settings } from './config/settings.ts'
export { readSmallFile, unreadable } from './config/small-file.ts'
export {
  type CookieScope,
  clearSessionCookie,
  formatCookie,
  formatSessionCookie,
  sessionCookie,
} from './cookies.ts'
export {
  AppError,
  alreadyExists,
  alternatives,
  type ErrorCode,
  invalidArgument,
  invalidField,
  notFound,
  unavailable,
} from './errors.ts'
export {
  checkFields,
  type FieldRule,
  type FieldRules,
  invalidKey,
  keyPattern,
  maxKeyLength,
} from './fields.ts'
export type { Readiness } from './health.ts'
export { isJwtShaped } from './jwt-shape.ts'
export { createLogger, type Logger, type LogSettings } from './logging.ts'
export { type ProcessCommand, type ProcessContext, runProcess, type Serving } from './process.ts'
export { digestOf, proofKey, proveCall } from './rpc/call-proof.ts'
export { type ChannelOptions, maxMessageBytes, type RawAnswer, RpcChannel } from './rpc/channel.ts'
export {
  type CallContext,
  type CallOptions,
  type Handlers,
  methodPath,
  type RpcClient,
  type Trailers,
} from './rpc/definition.ts'
export { type Protection, protectionOf, unprotected } from './rpc/protection.ts'
export { type Admit, RpcServer } from './rpc/server.ts'
export { unvouchedReason } from './rpc/status.ts'
export { backoffMs, every, type Running, startEvery, startParts } from './run.ts'
export { Seldom } from './seldom.ts'
export { signatureAlgorithms } from './signature-algorithms.ts'
export { ticketMac } from './ticket.ts'
export { version } from './version.ts'
