import { readInfo, toError } from './api/answer.ts'
import { SvcError } from './api/error.ts'
import type { TokenSource } from './credential.ts'

/** Maximum characters of a refusal that are read: its message is short. */
const maxErrorLength = 64 * 1024

export interface HttpOptions {
  /** Without a slash at its end. */
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  readonly tokens: TokenSource
}

export interface HttpRequest {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  /** JSON. */
  readonly body?: string
  readonly signal: AbortSignal
}

/** Sends requests with the credential, and with a new one when that is refused. */
export class Http {
  readonly #options: HttpOptions

  constructor(options: HttpOptions) {
    this.#options = options
  }

  /**
   * @returns an answer with status 2xx or 304
   * @throws {SvcError} for any other, and when there is none
   */
  async send(path: string, request: HttpRequest): Promise<Response> {
    const { tokens } = this.#options
    const token = await tokens.get()
    const response = await this.#fetch(path, request, token)
    if (response.status !== 401) return check(response)
    if (!(await tokens.renew(token))) return check(response)
    void response.body?.cancel().catch(() => {})
    return check(await this.#fetch(path, request, await tokens.get()))
  }

  async #fetch(path: string, request: HttpRequest, token: string | undefined): Promise<Response> {
    const { method = 'GET', headers, body, signal } = request
    const { url, fetch } = this.#options
    try {
      return await fetch(url + path, {
        method,
        headers: {
          ...headers,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        ...(body !== undefined && { body }),
        // Not the cookies of a page, nor what a browser has stored: answers are kept here.
        credentials: 'omit',
        cache: 'no-store',
        // A request that is sent again elsewhere would take its token there.
        redirect: 'error',
        signal,
      })
    } catch (error) {
      throw unreachable(url, error)
    }
  }
}

/** @throws {SvcError} for an answer that is none of success */
async function check(response: Response): Promise<Response> {
  if (response.ok || response.status === 304) return response
  throw toError(readInfo(response), await readStart(response))
}

/** The beginning of a body; what cannot be read is left out. */
async function readStart(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (reader !== undefined && text.length < maxErrorLength) {
      const { done, value } = await reader.read()
      if (done) return text
      text += decoder.decode(value, { stream: true })
    }
    void reader?.cancel().catch(() => {})
  } catch {}
  return text
}

export function unreachable(url: string, cause: unknown): SvcError {
  return new SvcError(`${url} cannot be reached: ${reasonOf(cause)}`, {
    status: 0,
    code: 14,
    cause,
  })
}

/** What went wrong, in the words of what went wrong first: `fetch failed` says nothing. */
export function reasonOf(error: unknown): string {
  // Whatever else was thrown may have no text.
  if (!(error instanceof Error)) return typeof error === 'string' ? error : typeof error
  const { cause } = error
  if (cause instanceof Error && cause !== error) return reasonOf(cause)
  // Of several addresses none was reached: that error has a code and no message.
  return error.message || String(Reflect.get(error, 'code') ?? error.name)
}
