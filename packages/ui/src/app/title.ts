import { useEffect } from 'react'

/** The title of the page, the innermost part first: `new-checkout · Production · Flags`. */
export function useTitle(...parts: readonly string[]): void {
  const title = [...parts, 'svc'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
