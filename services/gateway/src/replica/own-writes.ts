import type { Replica } from './replica.ts'

/**
 * Longest wait for a write to come back, in milliseconds. Usually it takes a few. The write is
 * committed in any case, so a longer wait would only delay its answer.
 */
const maxWaitMs = 500

/** Waits until this gateway shows a write that went through it, so that its next answer does. */
export async function waitUntilVisible(replica: Replica, svcRevision: string): Promise<void> {
  const colon = svcRevision.lastIndexOf(':')
  const revision = Number(svcRevision.slice(colon + 1))
  if (replica.isCurrent) await replica.waitFor(svcRevision.slice(0, colon), revision, maxWaitMs)
}
