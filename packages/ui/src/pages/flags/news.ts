import { useState } from 'react'
import { changedKeys, useLive } from '../../data/live.ts'

interface FlagNews {
  /** How many flags others have changed since the list was read. */
  readonly count: number
  readonly show: () => void
  /** Those that were shown last: they glow once. */
  readonly shown: ReadonlySet<string>
}

/** @param refetch reads the list anew */
export function useNews(namespaceKey: string, refetch: () => Promise<unknown>): FlagNews {
  const live = useLive(namespaceKey)
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set())
  const keys = changedKeys(live.news, 'FLAG_KIND')
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
