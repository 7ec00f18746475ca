import { idOf } from '../changes/changed-record.ts'
import { inPortions } from '../records/portions.ts'
import type { Heads } from './heads.store.ts'
import type { Listed } from './operations.ts'

/** Maximum objects that are read, compared and written at once: some milliseconds of a process's time. */
const maxObjects = 100

/** Maximum size of what is stored of them, and of what is sent, in bytes: so much is in memory. */
const maxBytes = 4 * 2 ** 20

/**
 * Operations in the order in which no reference ever points to nothing: segments are there before the flags
 * that use them, and go after them. Otherwise in the order in which they came.
 */
export function* portionsOf(
  listed: readonly Listed[],
  heads: Heads,
): Generator<readonly Listed[], void> {
  const bytesOf = (one: Listed) => one.bytes + (heads.get(idOf(one))?.bytes ?? 0)
  for (const phase of phases) {
    yield* inPortions(listed.filter(phase), { maxBytes, maxItems: maxObjects, bytesOf })
  }
}

const phases: readonly ((operation: Listed) => boolean)[] = [
  ({ kind }) => kind === 'namespace',
  ({ kind, isDeletion }) => kind === 'segment' && !isDeletion,
  ({ kind, isDeletion }) => kind === 'flag' && !isDeletion,
  ({ kind, isDeletion }) => kind === 'flag' && isDeletion,
  ({ kind, isDeletion }) => kind === 'segment' && isDeletion,
]
