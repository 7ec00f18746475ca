import { createHash } from 'node:crypto'
import type { Queryable } from '@svc/database'
import { Operation as OperationMessage } from '@svc/proto/resource/v1/apply'
import type { Operations } from '../apply/apply.ts'
import { labelled } from '../apply/labels.ts'
import type { Management } from '../apply/managers.ts'
import { type Operation, toOperation } from '../apply/operations.ts'
import { scheduler } from '../apply/scheduler.ts'
import { draftNotFound } from './answers.ts'
import type { StoredDraft } from './drafts.store.ts'
import { listDigests, listOperations, type OperationPlace, readContents } from './parts.store.ts'

/** As errors name an operation of a draft. */
export function labelOf({ part, place }: OperationPlace): string {
  return `parts[${part}].operations[${place}]`
}

/** The operations of a draft; what they do is read by portions. */
export async function operationsOf(
  tx: Queryable,
  { id, namespaceKey }: Pick<StoredDraft, 'id' | 'namespaceKey'>,
): Promise<Operations> {
  const [listed, parts] = await Promise.all([listOperations(tx, id), listDigests(tx, id)])
  const digest = createHash('sha256')
  for (const part of parts) digest.update(`${part.number}\n`).update(part.digest)
  return {
    listed,
    digest: digest.digest('hex'),
    async load(tx, portion) {
      const [first] = portion
      if (first === undefined) return []
      const keys = portion.map(({ key }) => key)
      const operations: Operation[] = []
      const contents = await readContents(tx, id, first.kind, keys)
      // Deleted since they were listed: to do the rest would be another change than was asked for.
      if (contents.length < keys.length) throw draftNotFound(id)
      for (const { content, ...at } of contents) {
        const label = labelOf(at)
        const message = OperationMessage.decode(content)
        operations.push(labelled(label, () => toOperation(namespaceKey, message, label)))
        if (scheduler.shouldYield) await scheduler.yield()
      }
      return operations
    },
  }
}

/** Who keeps the objects of a draft from then on. */
export function managementOf({ manager, prune, takeOver }: StoredDraft): Management {
  return { prune, takeOver, ...(manager !== '' && { manager }) }
}
