import { useEffect } from 'react'
import { queryClient } from '../data/api.ts'
import { useLive } from '../data/live.ts'

/**
 * Reads anew what an answer rests on, whenever others have changed something in the namespace.
 *
 * @param kinds the first parts of the keys of queries
 */
export function useFresh(namespaceKey: string, kinds: readonly string[]): void {
  const { news } = useLive(namespaceKey)
  const revision = news.at(-1)?.revision
  const wanted = kinds.join()
  useEffect(() => {
    if (revision === undefined) return
    const names = wanted.split(',')
    void queryClient.invalidateQueries({
      predicate: ({ queryKey: [kind, of] }) => of === namespaceKey && names.includes(String(kind)),
    })
  }, [namespaceKey, revision, wanted])
}
