import type { Namespace } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { setPreferences, usePreferences } from '../data/preferences.ts'
import { namespacesQuery } from '../data/queries.ts'

/**
 * The namespace that the side bar is about: that of the page, or the last one that was looked at.
 * Nothing until it is known.
 */
export function useShownNamespace(): Namespace | undefined {
  const { namespaceKey } = useParams({ strict: false })
  const { namespaceKey: last } = usePreferences()
  const { data } = useQuery(namespacesQuery)
  const isKnown = data?.some(({ key }) => key === namespaceKey) === true
  // What another tab looks at since then is left alone: both would write for ever.
  useEffect(() => {
    if (isKnown && namespaceKey !== undefined) setPreferences({ namespaceKey })
  }, [isKnown, namespaceKey])
  return data?.find(({ key }) => key === (namespaceKey ?? last)) ?? data?.[0]
}

/** What a page of a namespace needs of it, also before it is known. */
export interface PageNamespace {
  readonly key: string
  readonly name: string
  readonly color: string
  /** Whether it is asked before a change of what is served. */
  readonly confirm: boolean
  readonly flagCount: number | undefined
  readonly segmentCount: number | undefined
}

/** The namespace of the page. */
export function usePageNamespace(): PageNamespace {
  const { namespaceKey = '' } = useParams({ strict: false })
  const { data } = useQuery(namespacesQuery)
  const found = data?.find(({ key }) => key === namespaceKey)
  return {
    key: namespaceKey,
    name: found?.name || namespaceKey,
    color: found?.color ?? '',
    confirm: found?.confirm ?? false,
    flagCount: found?.flagCount,
    segmentCount: found?.segmentCount,
  }
}
