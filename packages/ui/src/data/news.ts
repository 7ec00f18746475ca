import { useState } from 'react'
import { useLive } from './live.ts'
import { changedKeys, countChanged } from './touched.ts'

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
    count: countChanged(live.news, kind),
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
