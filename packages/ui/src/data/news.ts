import { useState } from 'react'
import { changedKeys, useLive } from './live.ts'

interface ListNews {
  /** How many others have changed since the list was read. */
  readonly count: number
  readonly show: () => void
  /** Those that were shown last: they glow once. */
  readonly shown: ReadonlySet<string>
}

/**
 * What others have changed of a list.
 *
 * @param refetch reads the list anew
 */
export function useNews(
  namespaceKey: string,
  kind: 'FLAG_KIND' | 'SEGMENT_KIND',
  refetch: () => Promise<unknown>,
): ListNews {
  const live = useLive(namespaceKey)
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set())
  const keys = changedKeys(live.news, kind)
  return {
    count: keys.size,
    shown,
    show: () => {
      live.show()
      refetch().then(
        () => setShown(keys),
        () => {},
      )
    },
  }
}
