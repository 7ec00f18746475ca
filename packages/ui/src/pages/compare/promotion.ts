import { type PromotePlan, planPromotion, promotedContent, type Resolution } from '@svc/documents'
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
  for (let read = 1; ; read++) {
    const [source, target] = await Promise.all([
      readNamespace(api, sourceKey, { signal }),
      readNamespace(api, targetKey, { signal }),
    ])
    const has = (documents: readonly { readonly key: string }[], key: string) =>
      documents.some((one) => one.key === key)
    // What the source has lost meanwhile is not taken over.
    const flags = flagKeys.filter((key) => has(source.flags, key))
    const segments = segmentKeys.filter((key) => has(source.segments, key))
    const objects = [
      ...flags.map((key) => ({ kind: 'flag' as const, key })),
      ...segments.map((key) => ({ kind: 'segment' as const, key })),
    ]
    const plan = planPromotion({
      source,
      target,
      base: await findBases(api, { sourceKey, targetKey, source, objects }),
      flagKeys: flags,
      segmentKeys: segments,
      withSegments: 'missing',
      withState,
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
    if (now.revision === target.revision || read === maxReads)
      return { plan, source, target, planned }
    await planned.discard()
  }
}
