import type { DocumentOf } from '@svc/documents'
import { randomDocuments } from '@svc/documents/testing'

/** Random flags that may be sent: their metadata has no whole numbers that JavaScript cannot keep. */
export function sendableFlags(count: number, seed: number): DocumentOf['flag'][] {
  return randomDocuments('flag', { count, seed }).map((flag) => ({
    ...flag,
    ...(flag.metadata && { metadata: JSON.parse(JSON.stringify(flag.metadata), toSendable) }),
  }))
}

function toSendable(_name: string, value: unknown): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? 0 : value
}
