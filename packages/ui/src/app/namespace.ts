import type { Namespace } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { setPreferences, usePreferences } from '../data/preferences.ts'
import { namespacesQuery } from '../data/queries.ts'

/**
 * The namespace that a page is in; on a page of the whole installation the last one that was looked at.
 * Nothing until it is known.
 */
export function useNamespace(key: string | undefined): Namespace | undefined {
  const { namespaceKey } = usePreferences()
  const { data } = useQuery(namespacesQuery)
  useEffect(() => {
    if (key !== undefined && key !== namespaceKey) setPreferences({ namespaceKey: key })
  }, [key, namespaceKey])
  return data?.namespaces.find((one) => one.key === (key ?? namespaceKey))
}
