import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { AppError, type ErrorCode } from '@svc/runtime'
import { errorBody } from './errors.ts'
import { apiHeaders } from './headers.ts'

/** What Node.js refuses before there is a request. */
const refusals: ReadonlyMap<string | undefined, readonly [number, ErrorCode, string]> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'deadline_exceeded', 'the request did not arrive in time']],
  ['HPE_HEADER_OVERFLOW', [431, 'invalid_argument', 'the header is too large']],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', [413, 'invalid_argument', 'the body is too large']],
  ['HPE_INVALID_METHOD', [501, 'unimplemented', 'Method Not Allowed']],
])

const constantHeaders = Object.entries(apiHeaders)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')

/** Answers on the bare socket, in the same form as everything else, and closes it. */
export function sendClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const malformed = [400, 'invalid_argument', 'the request is malformed'] as const
  const [status, code, message] = refusals.get(error.code) ?? malformed
  const body = errorBody(new AppError(code, code, message))
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      'Content-Type: application/json\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n` +
      constantHeaders +
      'Connection: close\r\n\r\n' +
      body,
    () => socket.destroy(),
  )
}
