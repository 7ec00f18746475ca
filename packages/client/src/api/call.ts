/** Any JSON. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue }

export type JsonObject = { readonly [name: string]: JsonValue }

export type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** What one call may say besides its request. */
export interface CallOptions {
  /** The `ETag` that the object has to have, such as `"shop:42"`; else the call fails with 412. */
  readonly ifMatch?: string | undefined
  /** Why: kept with the change. At most 4,096 bytes of UTF-8. */
  readonly comment?: string | undefined
  /** A revision that a read waits for, such as `shop:42`: one that a write answered with. */
  readonly minRevision?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** In milliseconds; that of the {@link ApiOptions} unless given. */
  readonly timeoutMs?: number | undefined
  /** Is told what the headers of the answer say, before the call resolves or rejects. */
  readonly onAnswer?: ((answer: AnswerInfo) => void) | undefined
}

/** What the headers of an answer say. */
export interface AnswerInfo {
  readonly status: number
  /** Tag of the object, for `ifMatch`. */
  readonly etag: string | undefined
  /** What a write has made, such as `shop:42`, for `minRevision`. */
  readonly revision: string | undefined
  /** Names the request in the logs of the service. */
  readonly requestId: string | undefined
  /** Names in the request that mean nothing to the service. */
  readonly ignored: string | undefined
}

/**
 * Sends one request.
 *
 * @param template path whose `{name}` are members of the request
 * @param hasBody whether the rest of the request is the body; else it is the query
 */
export type Send = <Result>(
  verb: Verb,
  template: string,
  hasBody: boolean,
  request: object | undefined,
  options: CallOptions | undefined,
) => Promise<Result>
