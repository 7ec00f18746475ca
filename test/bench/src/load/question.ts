/** A request whose bytes are ready, and what is to come back. */
export interface Question {
  readonly bytes: Buffer
  /** @throws {Error} when the body of the answer is not what it has to be */
  check(body: string): void
}

export interface RequestParts {
  /** @default 'POST' */
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly path: string
  /** Left out where the server asks for none. */
  readonly authorization?: string | undefined
  /** Left out where there is none. */
  readonly body?: unknown
}

/** The bytes of a `POST` with a token of ours, as common clients send it. */
export function postBytes(path: string, token: string, body: unknown): Buffer {
  return requestBytes({ path, authorization: `Bearer ${token}`, body })
}

export function requestBytes({ method = 'POST', path, authorization, body }: RequestParts): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\n` +
      'Host: 127.0.0.1\r\n' +
      'Connection: keep-alive\r\n' +
      (body === undefined ? '' : 'Content-Type: application/json\r\n') +
      'Accept: application/json\r\n' +
      (authorization === undefined ? '' : `Authorization: ${authorization}\r\n`) +
      (body === undefined ? '' : `Content-Length: ${Buffer.byteLength(text)}\r\n`) +
      `\r\n${text}`,
  )
}
