import { SvcError } from '@svc/client/api'
import { useEffect, useState } from 'react'
import { keyPattern } from './keys.ts'

export type KeyState = 'unknown' | 'checking' | 'free' | 'taken'

/** What is typed is asked for after a pause of this length, in milliseconds. */
const pauseMs = 300

/**
 * Whether a key is free.
 *
 * @param read reads the object with this key; fails with 404 when there is none. The same function each time
 */
export function useFreeKey(
  key: string,
  read: (key: string, signal: AbortSignal) => Promise<unknown>,
): KeyState {
  const [known, setKnown] = useState<{ readonly key: string; readonly state: KeyState }>()
  useEffect(() => {
    if (!keyPattern.test(key)) return
    const abort = new AbortController()
    const timer = setTimeout(() => {
      read(key, abort.signal).then(
        () => setKnown({ key, state: 'taken' }),
        (error) => {
          const isFree = error instanceof SvcError && error.status === 404
          if (!abort.signal.aborted) setKnown({ key, state: isFree ? 'free' : 'unknown' })
        },
      )
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [key, read])
  if (!keyPattern.test(key)) return 'unknown'
  return known?.key === key ? known.state : 'checking'
}
