import { randomUUID } from 'node:crypto'

/** How many are made at a time: some kilobytes. */
const stock = 128
const length = 36

const ids: string[] = []

/** A UUID of version 4. Made many at a time, which takes a fraction of the time for each. */
export function newRequestId(): string {
  if (ids.length === 0) {
    const text = Array.from({ length: stock }, () => randomUUID()).join('')
    for (let i = 0; i < stock; i++) ids.push(text.slice(i * length, (i + 1) * length))
  }
  return ids.pop() ?? randomUUID()
}
