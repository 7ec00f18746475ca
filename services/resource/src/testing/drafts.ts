import type { Database } from '@svc/database'
import { createLogger } from '@svc/runtime'
import { DraftApplier } from '../drafts/applier.ts'
import type { Resources } from './resources.ts'

export const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

/** Applies drafts as a replica does that has these connections. */
export function applierOn(db: Database): DraftApplier {
  return new DraftApplier({ db, background: db, log })
}

type Operations = NonNullable<Parameters<Resources['addOperations']>[0]['operations']>

/** A draft with operations, a part for each list. @returns its id */
export async function makeDraft(
  { createDraft, addOperations }: Resources,
  draft: Parameters<Resources['createDraft']>[0],
  ...parts: readonly Operations[]
): Promise<string> {
  const { namespaceKey = '' } = draft
  const { id } = await createDraft(draft)
  for (const [place, operations] of parts.entries()) {
    await addOperations({ namespaceKey, id, part: place + 1, operations })
  }
  return id
}
