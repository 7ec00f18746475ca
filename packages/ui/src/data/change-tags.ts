import type { ApplyResult } from '@svc/client/api'
import { api } from './api.ts'
import { isConflict } from './errors.ts'
import { apply, type FlagId } from './flag-writes.ts'
import { tagsOf } from './queries.ts'
import { mergeTags } from './tags.ts'
import type { Written } from './writes.ts'

/** How often tags are read anew when others write the flag at the same moment. */
const maxRounds = 3

/** Adds and takes away tags, on those that the flag has by now. @param opened as they were when the edit began */
export async function changeTags(
  id: FlagId,
  opened: readonly string[],
  edited: readonly string[],
): Promise<Written<ApplyResult>> {
  for (let round = 1; ; round++) {
    const { flag, revision } = await api.documents.getFlag(id)
    const tags = mergeTags(opened, edited, tagsOf(flag))
    const operation = {
      kind: 'FLAG_KIND',
      key: id.key,
      patch: { metadata: { tags: tags.length === 0 ? null : tags } },
      ifRevision: revision,
    } as const
    try {
      return await apply(id.namespaceKey, [operation])
    } catch (error) {
      // A refusal has changed nothing.
      if (!isConflict(error) || round === maxRounds) throw error
    }
  }
}
