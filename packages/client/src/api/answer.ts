import type { AnswerInfo } from './call.ts'
import { SvcError } from './error.ts'

export function readInfo({ status, headers }: Response): AnswerInfo {
  const read = (name: string) => headers.get(name) ?? undefined
  return {
    status,
    etag: read('etag'),
    revision: read('x-svc-revision'),
    requestId: read('x-request-id'),
    ignored: read('x-svc-ignored'),
  }
}

/** The gRPC code of an answer without one: of a proxy, say. */
const codes: ReadonlyMap<number, number> = new Map([
  [400, 3],
  [401, 16],
  [403, 7],
  [404, 5],
  [409, 6],
  [412, 9],
  [429, 8],
  [501, 12],
  [502, 14],
  [503, 14],
  [504, 4],
])
const unknownCode = 2

/** The error of an answer that is none of success. @param text its body */
export function toError(info: AnswerInfo, text: string): SvcError {
  const { status, requestId, etag } = info
  const body = readJson(text)
  const code = Reflect.get(body, 'code')
  const message = Reflect.get(body, 'message')
  return new SvcError(typeof message === 'string' && message !== '' ? message : `HTTP ${status}`, {
    status,
    code: typeof code === 'number' ? code : (codes.get(status) ?? unknownCode),
    requestId,
    etag,
  })
}

/** The error of an answer that is none of the service: of a proxy, a login page, another server. */
export function toForeignError(
  { status, requestId }: AnswerInfo,
  message: string,
  cause?: unknown,
): SvcError {
  return new SvcError(message, { status, code: unknownCode, requestId, cause })
}

function readJson(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
