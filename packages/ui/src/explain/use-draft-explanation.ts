import { type Explanation, type FlagDocument, type StoredSegment, SvcError } from '@svc/client/api'
import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { segmentDocumentQuery, type Tagged } from '../data/queries.ts'
import type { AskedContext } from './context.ts'

/** What came of a question about a draft. */
export type DraftAnswer =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: Error }
  | { readonly state: 'too-long' }
  | { readonly state: 'wrong'; readonly reason: string }
  | { readonly state: 'explained'; readonly explanation: Explanation }

/** The engine, once it is needed. */
const engineQuery = {
  queryKey: ['engine'],
  queryFn: () => import('@svc/documents/explain'),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
}

/**
 * Explains a flag as it would be once the draft is saved, with the segments as they are: in the page, by
 * the same function that the service uses.
 */
export function useDraftExplanation(
  namespaceKey: string,
  flag: FlagDocument,
  entityId: string,
  context: AskedContext,
): DraftAnswer {
  const engine = useQuery(engineQuery)
  const { segments, isPending, error } = useQueries({
    queries: segmentKeysOf(flag).map((key) => ({
      ...segmentDocumentQuery(namespaceKey, key),
      retry: (count: number, error: Error) => count < 2 && !isMissing(error),
    })),
    combine,
  })
  return useMemo((): DraftAnswer => {
    const failure = error ?? engine.error
    if (failure) return { state: 'failed', error: failure }
    if (engine.data === undefined || isPending) return { state: 'loading' }
    const { explainDocument, ExplanationTooLongError } = engine.data
    const question = { namespaceKey, revision: 0, flag, segments, entityId, context }
    try {
      // The names of enums are those of the API.
      const explanation = explainDocument(question) as Explanation
      return { state: 'explained', explanation }
    } catch (error) {
      if (error instanceof ExplanationTooLongError) return { state: 'too-long' }
      return { state: 'wrong', reason: error instanceof Error ? error.message : String(error) }
    }
  }, [engine.data, engine.error, isPending, error, namespaceKey, flag, segments, entityId, context])
}

type SegmentResult = UseQueryResult<Tagged<StoredSegment>>

/** The segments that there are. One that does not exist is an answer, too. */
function combine(results: readonly SegmentResult[]) {
  const failed = results.find(({ data, error }) => data === undefined && error && !isMissing(error))
  return {
    segments: results.flatMap(({ data }) => data?.value.segment ?? []),
    isPending: results.some(({ isPending }) => isPending),
    error: failed?.error ?? undefined,
  }
}

function isMissing(error: Error): boolean {
  return error instanceof SvcError && error.status === 404
}

/** The keys of the segments that a flag refers to, each once. */
export function segmentKeysOf({ type, rules, rollouts }: FlagDocument): readonly string[] {
  const steps =
    type === 'BOOLEAN_FLAG_TYPE'
      ? rollouts.map(({ segment }) => segment?.segments ?? [])
      : rules.map(({ segments }) => segments)
  return [...new Set(steps.flat())]
}
