import type { Operation } from './operations.ts'

/** Operations that a request, and a part of a draft, may have. */
const maxOperations = 1000

/** Of the JSON of a request's operations, in bytes: a body has 4 MiB, with some room for the rest of it. */
const maxBytes = 4 * 2 ** 20 - 2 ** 14

/** Objects and lists in a body: 16,384, with some room for those around the operations. */
const maxNodes = 16_000

/**
 * Operations in the portions that a request may have, in their order. One that is too large by itself is a
 * portion by itself: the service refuses it, and says why.
 */
export function toParts(operations: readonly Operation[]): (readonly Operation[])[] {
  const parts: Operation[][] = []
  let part: Operation[] = []
  let [bytes, nodes] = [0, 0]
  for (const operation of operations) {
    const size = sizeOf(operation)
    const isFull =
      part.length === maxOperations ||
      bytes + size.bytes > maxBytes ||
      nodes + size.nodes > maxNodes
    if (part.length === 0 || isFull) {
      part = []
      parts.push(part)
      ;[bytes, nodes] = [0, 0]
    }
    part.push(operation)
    bytes += size.bytes
    nodes += size.nodes
  }
  return parts
}

const encoder = new TextEncoder()

function sizeOf(operation: Operation): { readonly bytes: number; readonly nodes: number } {
  const text = JSON.stringify(operation)
  return { bytes: encoder.encode(text).length + 1, nodes: countNodes(operation) }
}

function countNodes(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 1
  for (const member of Object.values(value)) count += countNodes(member)
  return count
}
