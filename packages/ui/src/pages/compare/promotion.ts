import {
  type PromotePlan,
  type PromotionReader,
  planPromotion,
  promotedContent,
  type Resolution,
} from '@svc/documents'
import type { PlannedApply, StoredNamespace } from '@svc/documents/files'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../data/api.ts'

/** A namespace with all that is in it. */
export function contentQuery(namespaceKey: string) {
  return queryOptions({
    queryKey: ['content', namespaceKey],
    async queryFn({ signal }) {
      const { readNamespace } = await import('@svc/documents/files')
      return readNamespace(api, namespaceKey, { signal })
    },
    staleTime: 15_000,
    gcTime: 60_000,
  })
}

/** What is to be taken over, and how. */
export interface PromotionChoice {
  readonly flagKeys: readonly string[]
  readonly segmentKeys: readonly string[]
  readonly withState: boolean
  /** By `flag key` and `segment key`: whose is kept where both have changed. */
  readonly resolutions: Readonly<Record<string, Resolution>>
}

export interface Promotion {
  readonly plan: PromotePlan
  readonly source: StoredNamespace
  readonly target: StoredNamespace
  /** Nothing where nothing would be written, or something has to be decided first. */
  readonly planned: PlannedApply | undefined
}

export const nameOfObject = ({ kind, key }: { readonly kind: string; readonly key: string }) =>
  `${kind} ${key}`

/** Reads how often others may write while it is read. */
const maxReads = 5

/**
 * Plans what the target gets: by three-way comparison where the target got the objects from here before. What
 * is planned is of the revisions that are shown.
 */
export async function planChoice(
  sourceKey: string,
  targetKey: string,
  { flagKeys, segmentKeys, withState, resolutions }: PromotionChoice,
  signal: AbortSignal,
): Promise<Promotion> {
  const { planApply, readNamespace, setOperations } = await import('@svc/documents/files')
  const { findBases } = await import('@svc/documents')
  const reader: PromotionReader = {
    changes: {
      list: (request) => api.changes.list(request, { signal }),
      get: (request) => api.changes.get(request, { signal }),
    },
    documents: { getNamespace: (request) => api.documents.getNamespace(request, { signal }) },
  }
  for (let read = 1; ; read++) {
    const [source, target] = await Promise.all([
      readNamespace(api, sourceKey, { signal }),
      readNamespace(api, targetKey, { signal }),
    ])
    // What the source has lost meanwhile is not taken over.
    const [flags, segments] = [
      thoseOf(source.flags, flagKeys),
      thoseOf(source.segments, segmentKeys),
    ]
    const request = {
      ...{ source, target, flagKeys: flags, segmentKeys: segments, withState },
      withSegments: 'missing',
    } as const
    // Of what is new or the same no ancestor is asked for.
    const objects = planPromotion(request).objects.filter(({ verdict }) => verdict === 'updated')
    const plan = planPromotion({
      ...request,
      base: await findBases(reader, { sourceKey, targetKey, source, objects }),
      resolve: (kind, key) => resolutions[nameOfObject({ kind, key })],
    })
    const operations = setOperations(promotedContent(plan))
    const isOpen = plan.objects.some(({ verdict }) => verdict === 'conflict')
    if (isOpen || operations.length === 0) return { plan, source, target, planned: undefined }
    const details = { from: `${sourceKey}:${source.revision}` }
    const planned = await planApply(api, [{ namespaceKey: targetKey, operations, details }], {
      signal,
    })
    const now = await api.documents.getNamespace({ namespaceKey: targetKey, limit: 1 }, { signal })
    if (now.revision === target.revision) return { plan, source, target, planned }
    await planned.discard()
    if (read === maxReads) throw new Error('others are writing there just now: try again')
  }
}

function thoseOf(
  documents: readonly { readonly key: string }[],
  keys: readonly string[],
): readonly string[] {
  const known = new Set(documents.map(({ key }) => key))
  return keys.filter((key) => known.has(key))
}
