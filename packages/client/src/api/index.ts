export { type ApiOptions, createApi } from './api.ts'
export type { AnswerInfo, CallOptions, JsonObject, JsonValue } from './call.ts'
export { SvcError } from './error.ts'
export type * from './gen/operations.ts'
