import { ofAnotherClient } from './clients.ts'

/** What came back. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Parsed when it is JSON, otherwise the text. */
  readonly body: unknown
  readonly text: string
}

/** Sends one request; `body` becomes JSON unless it is a string already. */
export type Request = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>

/** How long any one answer may take; far more than any should. */
const timeoutMs = 20_000

export async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', ...ofAnotherClient(), ...headers },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: parse(text), text }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
