import type { FlagId } from '../../data/flag-writes.ts'

const counts = new Map<string, number>()

/**
 * Notes that the switch of a flag is turned.
 *
 * @returns whether it is still the latest turn. One that came after it says itself what is so now.
 */
export function noteTurn({ namespaceKey, key }: FlagId): () => boolean {
  const id = `${namespaceKey}/${key}`
  const count = (counts.get(id) ?? 0) + 1
  counts.set(id, count)
  return () => counts.get(id) === count
}
