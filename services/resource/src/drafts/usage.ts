import type { Queryable } from '@svc/database'
import { AppError, invalidArgument } from '@svc/runtime'
import { lockUsage } from './drafts.store.ts'

/** Maximum drafts of a namespace that were not applied. */
const maxOpen = 50

/** Maximum drafts of a namespace, with those that were applied: of a day. */
const maxKept = 1000

/** The same of all namespaces. */
const maxAllOpen = 500

/** Maximum bytes of the drafts of a namespace that were not applied, and of those of all namespaces. */
const maxOpenBytes = 256 * 2 ** 20
const maxAllOpenBytes = 2 ** 30

/**
 * Refuses what this transaction has made of drafts, when that is more than there may be.
 *
 * @throws {AppError} `too_many_drafts`
 */
export async function checkUsage(tx: Queryable, namespaceKey: string): Promise<void> {
  const { kept, open, openBytes, allOpen, allOpenBytes } = await lockUsage(tx, namespaceKey)
  const namespace = `namespace "${namespaceKey}" has`
  if (open > maxOpen) throw tooMany(`${namespace} ${maxOpen} drafts that were not applied`)
  if (kept > maxKept) throw tooMany(`${namespace} ${maxKept} drafts of the last day`)
  if (allOpen > maxAllOpen) throw tooMany(`there are ${maxAllOpen} drafts that were not applied`)
  if (openBytes > maxOpenBytes) {
    throw tooMany(`${namespace} ${maxOpenBytes / 2 ** 20} MiB of drafts that were not applied`)
  }
  if (allOpenBytes > maxAllOpenBytes) {
    throw tooMany(`there are ${maxAllOpenBytes / 2 ** 20} MiB of drafts that were not applied`)
  }
}

function tooMany(what: string): AppError {
  const message = `${what}: delete those that are not needed, or wait until a day has passed`
  return new AppError('resource_exhausted', 'too_many_drafts', message)
}

/** @param maxBytes that it has at most */
export function tooLarge(what: string, maxBytes: number): AppError {
  return invalidArgument(`${what} has at most ${maxBytes / 2 ** 20} MiB`)
}
