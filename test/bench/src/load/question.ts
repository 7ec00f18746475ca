/** A request whose bytes are ready, and what is to come back. */
export interface Question {
  readonly bytes: Buffer
  /** @throws {Error} when the body of the answer is not what it has to be */
  check(body: string): void
}

/** The bytes of a `POST` as common clients send it. */
export function postBytes(path: string, token: string, body: unknown): Buffer {
  const text = JSON.stringify(body)
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\n` +
      'Host: 127.0.0.1\r\n' +
      'Connection: keep-alive\r\n' +
      'Content-Type: application/json\r\n' +
      'Accept: application/json\r\n' +
      `Authorization: Bearer ${token}\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n` +
      text,
  )
}
