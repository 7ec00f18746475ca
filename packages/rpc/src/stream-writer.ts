import type { ServerWritableStream } from '@grpc/grpc-js'
import { AppError } from '@svc/runtime'

/**
 * Writes a message, and waits until the reader has room for it. So one message at most is buffered for a
 * slow reader.
 *
 * @throws {AppError} `resource_exhausted` when the reader does not take it in time
 */
export function writeMessage(
  call: ServerWritableStream<Buffer, unknown>,
  message: unknown,
  signal: AbortSignal,
  limitMs: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(limit)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const limit = setTimeout(() => {
      signal.removeEventListener('abort', end)
      reject(new AppError('resource_exhausted', 'too_slow', 'reads too slowly'))
    }, limitMs)
    signal.addEventListener('abort', end)
    call.write(message, end)
  })
}
