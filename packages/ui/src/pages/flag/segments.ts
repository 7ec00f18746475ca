import type { Segment } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { segmentsQuery } from '../../data/queries.ts'

/** What a rule has to know of the segments of its namespace. */
export interface Segments {
  readonly all: readonly Segment[]
  readonly isLoading: boolean
  readonly nameOf: (key: string) => string
  /** Whether it has no constraints: then everyone is in it. */
  readonly isForEveryone: (key: string) => boolean
  /** Known only when all segments have been read. */
  readonly isMissing: (key: string) => boolean
}

export function useSegments(namespaceKey: string): Segments {
  const { data, isPending } = useQuery(segmentsQuery(namespaceKey))
  return useMemo(() => {
    const byKey = new Map(data?.segments.map((segment) => [segment.key, segment]))
    const isAll = data !== undefined && data.segments.length >= data.totalCount
    return {
      all: data?.segments ?? [],
      isLoading: isPending,
      nameOf: (key) => byKey.get(key)?.name || key,
      isForEveryone: (key) => byKey.get(key)?.matchesEveryone === true,
      isMissing: (key) => isAll && !byKey.has(key),
    }
  }, [data, isPending])
}
