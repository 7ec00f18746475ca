import { readInfo, toError, toForeignError } from './answer.ts'
import type { AnswerInfo, Send } from './call.ts'
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
    let response: Response
    let text: string
    try {
      response = await fetch(url, {
        method: verb,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(credential && { authorization: `Bearer ${credential}` }),
          ...toHeaders(options),
        },
        ...(body !== undefined && { body }),
        // Elsewhere it would arrive without its token, and a write as a read: `fetch` makes POST a GET.
        redirect: 'manual',
        signal: AbortSignal.any(signals),
      })
      text = await response.text()
    } catch (error) {
      options.signal?.throwIfAborted()
      throw timeout.aborted ? timedOut(base, timeoutMs, error) : unreachable(base, error)
    }
    const info = readInfo(response)
    options.onAnswer?.(info)
    return readResult(response, info, text, base)
  }
}

function readResult<Result>(
  response: Response,
  info: AnswerInfo,
  text: string,
  base: string,
): Result {
  if (isRedirect(response)) throw toForeignError(info, redirected(response, base))
  if (!response.ok) throw toError(info, text)
  try {
    // What the service answers is what its contract says.
    return (text === '' ? {} : JSON.parse(text)) as Result
  } catch (error) {
    throw toForeignError(info, `the answer of ${base} is no JSON: check the address`, error)
  }
}

/** Browsers do not say more of one than that it is one. */
function isRedirect({ type, status, headers }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('location'))
}

function redirected({ headers, url }: Response, base: string): string {
  const location = headers.get('location')
  const from = url || base
  const isKnown = location !== null && URL.canParse(location, from)
  const target = isKnown ? new URL(location, from) : undefined
  // Its query may have secrets of a login.
  const place = target === undefined ? 'elsewhere' : `to ${target.origin}${target.pathname}`
  return `${base} redirects ${place}: give the address behind the redirect`
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
