import { readInfo, toError } from './answer.ts'
import type { CallOptions, Send } from './call.ts'
import { SvcError } from './error.ts'
import { type Api, bindApi } from './gen/operations.ts'
import { toHeaders, toRequest } from './request.ts'

export interface ApiOptions {
  /** Where the service is, such as `https://flags.example.com`; with the path before its own, if any. */
  readonly url: string
  /** A client token. Asked for anew with each call when it is a function. Without one: cookies, if any. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined
  /** Time that a call may take, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number
  /** @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch
}

const defaultTimeoutMs = 30_000

/**
 * Functions for all public operations of a service. None of them is repeated by itself: after an error
 * with status 0 read what has become of a write before it is sent again.
 *
 * @returns functions that reject with {@link SvcError}
 */
export function createApi(options: ApiOptions): Api {
  return bindApi(sendWith(options))
}

function sendWith({ url: base, token, fetch = globalThis.fetch, ...defaults }: ApiOptions): Send {
  return async (verb, template, hasBody, request, options = {}) => {
    const { url, body } = toRequest(base, verb, template, hasBody, request)
    const { timeoutMs = defaults.timeoutMs ?? defaultTimeoutMs } = options
    const timeout = AbortSignal.timeout(timeoutMs)
    const signals = options.signal === undefined ? [timeout] : [timeout, options.signal]
    const credential = typeof token === 'function' ? await token() : token
    try {
      const response = await fetch(url, {
        method: verb,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(credential && { authorization: `Bearer ${credential}` }),
          ...toHeaders(options),
        },
        ...(body !== undefined && { body }),
        signal: AbortSignal.any(signals),
      })
      return await readAnswer(response, options)
    } catch (error) {
      if (error instanceof SvcError) throw error
      options.signal?.throwIfAborted()
      throw timeout.aborted ? timedOut(base, timeoutMs, error) : unreachable(base, error)
    }
  }
}

async function readAnswer<Result>(response: Response, { onAnswer }: CallOptions): Promise<Result> {
  const text = await response.text()
  const info = readInfo(response)
  onAnswer?.(info)
  if (!response.ok) throw toError(info, text)
  // What the service answers is what its contract says.
  return (text === '' ? {} : JSON.parse(text)) as Result
}

function timedOut(base: string, timeoutMs: number, cause: unknown): SvcError {
  return new SvcError(`${base} did not answer within ${timeoutMs} ms`, {
    status: 0,
    code: 4,
    cause,
  })
}

function unreachable(base: string, cause: unknown): SvcError {
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  return new SvcError(`${base} cannot be reached${reason}`, { status: 0, code: 14, cause })
}
