import { useEffect, useState } from 'react'

/** @returns whether the component is still there, for what follows an answer: a reader may have gone on by then */
export function useMounted(): () => boolean {
  const [state] = useState({ isMounted: true })
  useEffect(() => {
    state.isMounted = true
    return () => {
      state.isMounted = false
    }
  }, [state])
  return () => state.isMounted
}
