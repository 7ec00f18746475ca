import type { Replica } from './replica.ts'

/**
 * How long the answer to a write waits for the write to come back, in milliseconds. It takes a few;
 * where it takes longer, the writer must not wait for it: the write is committed.
 */
const maxWaitMs = 500

/** Waits until this gateway shows a write that went through it, so that its next answer does. */
export async function untilShown(replica: Replica, svcRevision: string): Promise<void> {
  const colon = svcRevision.lastIndexOf(':')
  const revision = Number(svcRevision.slice(colon + 1))
  if (replica.isCurrent) await replica.waitFor(svcRevision.slice(0, colon), revision, maxWaitMs)
}
