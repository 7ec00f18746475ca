import { statusOf } from '../retry.ts'
import type { NamespaceOperations } from './apply.ts'
import type { Operation } from './operations.ts'
import { toParts } from './parts.ts'

export interface ApplyErrorOptions {
  readonly reason?: string
  readonly status?: number | undefined
  readonly namespaceKey?: string
  readonly operation?: Operation | undefined
  readonly cause?: unknown
}

/** An apply that could not be done, or one of its operations. Nothing was written. */
export class ApplyError extends Error {
  override readonly name = 'ApplyError'
  /** What the service, or this package, calls it, such as `plan_changed`; empty when it did not say. */
  readonly reason: string
  /** HTTP status of what a request was refused with. */
  readonly status: number | undefined
  readonly namespaceKey: string | undefined
  /** The operation that cannot be done, if it is one. */
  readonly operation: Operation | undefined

  constructor(
    message: string,
    { reason = '', status, namespaceKey, operation, cause }: ApplyErrorOptions,
  ) {
    super(message, { cause })
    this.reason = reason
    this.status = status
    this.namespaceKey = namespaceKey
    this.operation = operation
  }
}

const label = /^(?:parts\[(\d+)\]\.)?operations\[(\d+)\](?:: )?/

/** Whether an error is about one operation. */
export function isAboutOperation(error: unknown): error is Error {
  return error instanceof Error && label.test(error.message)
}

/**
 * The error of an operation, which says which one it is about; any other error as it is.
 *
 * @param part the number of the part that was sent, from 1; nothing for a request, or a whole draft
 */
export function toApplyError(
  { namespaceKey, operations }: Pick<NamespaceOperations, 'namespaceKey' | 'operations'>,
  error: unknown,
  part?: number,
): unknown {
  if (!isAboutOperation(error)) return error
  const [text = '', inPart, place] = label.exec(error.message) ?? []
  const number = inPart === undefined ? part : Number(inPart)
  const list = number === undefined ? operations : toParts(operations)[number - 1]
  const operation = list?.[Number(place)]
  const rest = error.message.slice(text.length)
  const subject = operation && subjectOf(namespaceKey, operation)
  const isNamed = subject !== undefined && rest.startsWith(`${subject} `)
  const named = subject === undefined ? error.message : `${subject}: ${rest}`
  return new ApplyError(isNamed ? rest : named, {
    ...(error instanceof ApplyError && { reason: error.reason }),
    status: statusOf(error),
    namespaceKey,
    operation,
    cause: error,
  })
}

function subjectOf(namespaceKey: string, { kind, key }: Operation): string {
  if (kind === 'NAMESPACE_KIND') return `namespace "${namespaceKey}"`
  return `${kind === 'FLAG_KIND' ? 'flag' : 'segment'} "${namespaceKey}/${key}"`
}
