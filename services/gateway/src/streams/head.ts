import { validateHeaderValue } from 'node:http'

/** What a stream is answered with besides what every answer has. */
const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-store',
  // Kept as it is by nginx, which would collect it otherwise.
  'x-accel-buffering': 'no',
  // The body has no length: it ends with the connection.
  connection: 'close',
}

type Headers = Readonly<Record<string, number | string | readonly string[] | undefined>>

/** The bytes with which the answer to a request for a stream begins (RFC 9112, section 6.3). */
export function encodeHead(headers: Headers): Buffer {
  const all = { ...headers, date: new Date().toUTCString(), ...streamHeaders }
  const lines = Object.entries(all).flatMap(([name, value]) =>
    [value ?? []].flat().map((text) => {
      validateHeaderValue(name, String(text))
      return `${name}: ${text}\r\n`
    }),
  )
  return Buffer.from(`HTTP/1.1 200 OK\r\n${lines.join('')}\r\n`, 'latin1')
}
