/** A request whose bytes are ready, and what is to come back. */
export interface Question {
  readonly bytes: Buffer
  /** @throws {Error} when the body of the answer is not what it has to be */
  check(body: string): void
}

/** The bytes of a `POST` with a token of ours, as common clients send it. */
export function postBytes(path: string, token: string, body: unknown): Buffer {
  return requestBytes(path, `Bearer ${token}`, body)
}

/** @param authorization left out where the server asks for none */
export function requestBytes(
  path: string,
  authorization: string | undefined,
  body: unknown,
): Buffer {
  const text = JSON.stringify(body)
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\n` +
      'Host: 127.0.0.1\r\n' +
      'Connection: keep-alive\r\n' +
      'Content-Type: application/json\r\n' +
      'Accept: application/json\r\n' +
      (authorization === undefined ? '' : `Authorization: ${authorization}\r\n`) +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n` +
      text,
  )
}
