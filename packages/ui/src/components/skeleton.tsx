import { type ReactNode, useEffect, useState } from 'react'
import { useText } from '../text/text.ts'

/** Until then nothing is shown: what is quick does not flicker. In milliseconds. */
const delayMs = 150

/** Shows its children once waiting takes time. */
export function Waiting({ children }: { readonly children: ReactNode }) {
  const t = useText()
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), delayMs)
    return () => clearTimeout(timer)
  }, [])
  if (!isLate) return null
  return (
    <div aria-busy="true">
      <span role="status" className="vh">
        {t.common.loading}
      </span>
      {children}
    </div>
  )
}

/** Rows in the place of those of a table. */
export function SkeletonRows({ count = 8 }: { readonly count?: number }) {
  return (
    <div className="table-wrap" aria-hidden="true">
      {Array.from({ length: count }, (_, row) => (
        <div key={row} className="sk-row">
          <i className="sk sk-short" />
          <i className="sk sk-long" />
          <i className="sk sk-middle" />
        </div>
      ))}
    </div>
  )
}
