import { encodeResponse, loadContract, type UrlValues } from '@svc/contract'
import { AppError } from '@svc/runtime'
import { parseJsonObject } from '../../http/json.ts'
import { type EncodedRequest, encodeRequest } from './messages.ts'

/** This module, which a thread loads: its name ends in `.js` once it is built. */
export const workerFile = import.meta.filename

/** What a thread returns: errors of ours would arrive as others. */
export type Outcome<T> =
  | { readonly value: T }
  | { readonly refusal: Pick<AppError, 'code' | 'reason' | 'message'> }

interface Task {
  /** That of the operation. */
  readonly path: string
}

export interface RequestTask extends Task {
  /** The place of the URL among those of the operation. */
  readonly position: number
  readonly url: UrlValues
  readonly body: Uint8Array
}

export interface AnswerTask extends Task {
  readonly bytes: Uint8Array
  readonly isPretty: boolean
}

/** Runs in the thread, or where there is none. */
export function runRequest({ path, position, url, body }: RequestTask): Outcome<EncodedRequest> {
  const operation = operationAt(path)
  const binding = operation.bindings[position]
  if (binding === undefined) throw new Error(`${path} has no URL ${position}`)
  try {
    const json = parseJsonObject(bufferOf(body))
    return { value: encodeRequest({ operation, binding }, url, json) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, reason, message } = error
    return { refusal: { code, reason, message } }
  }
}

/** Runs in the thread, or where there is none. */
export function runAnswer({ path, bytes, isPretty }: AnswerTask): Outcome<Uint8Array> {
  return { value: encodeResponse(operationAt(path).output, bytes, isPretty) }
}

function operationAt(path: string) {
  const operation = loadContract().operations.find((one) => one.path === path)
  if (operation === undefined) throw new Error(`there is no ${path}`)
  return operation
}

/** Bytes arrive from another thread without being a buffer. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
