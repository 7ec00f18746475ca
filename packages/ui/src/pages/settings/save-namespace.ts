import type { Namespace } from '@svc/client/api'
import { changedMeanwhile } from '../../app/edited.ts'
import type { NamespaceDetails } from '../../app/new-namespace/looks.tsx'
import { api } from '../../data/api.ts'
import { isConflict } from '../../data/errors.ts'

/** Attempts of one save: each fails only by a write between its read and its own. */
const maxAttempts = 3

type Words = Pick<NamespaceDetails, 'name' | 'description'>

interface SavedNamespace {
  /** As the service has it: saved, or as others have made it. */
  readonly namespace: Namespace
  /** What was edited here and changed by others. Then nothing was saved. */
  readonly theirs: readonly (keyof Words)[]
}

/**
 * Saves what was edited of a namespace; whatever else the service has stays.
 *
 * @param opened the name and the description when the edit began, or what was said of them since
 * @throws SvcError when it is refused, or its answer does not come
 */
export async function saveNamespace(
  key: string,
  opened: Words,
  edited: Partial<NamespaceDetails>,
): Promise<SavedNamespace> {
  for (let attempt = 1; ; attempt++) {
    let ifMatch: string | undefined
    const onAnswer = ({ etag }: { readonly etag: string | undefined }) => {
      ifMatch = etag
    }
    const now = await api.namespaces.get({ key }, { onAnswer })
    const theirs = changedMeanwhile<Words>(opened, edited, now)
    if (theirs.length > 0) return { namespace: now, theirs }
    try {
      // Without a name or a description it would have none.
      const words = { name: now.name, description: now.description }
      const namespace = await api.namespaces.update({ key, ...words, ...edited }, { ifMatch })
      return { namespace, theirs }
    } catch (error) {
      if (!isConflict(error) || attempt === maxAttempts) throw error
    }
  }
}
