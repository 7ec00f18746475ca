import { queryOptions } from '@tanstack/react-query'
import { api } from '../../data/api.ts'
import type { ExportSearch } from './search.ts'

/** Namespaces as the text of one file, each as it is at one revision. */
export function exportQuery(
  namespaceKeys: readonly string[],
  format: NonNullable<ExportSearch['format']>,
) {
  return queryOptions({
    queryKey: ['export', namespaceKeys, format],
    async queryFn({ signal }) {
      const { readNamespace, writeNamespace } = await import('@svc/documents/files')
      const pieces: string[] = []
      for (const [place, namespaceKey] of namespaceKeys.entries()) {
        const stored = await readNamespace(api, namespaceKey, { signal })
        pieces.push(...writeNamespace(stored, { format, isFirst: place === 0 }))
      }
      return pieces.join('')
    },
    // It may be large.
    gcTime: 0,
  })
}
