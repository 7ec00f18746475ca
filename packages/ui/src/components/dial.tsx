import type { CSSProperties } from 'react'

/** The share that gets On, as a moon. A text beside it says the same. */
export function Dial({ share }: { readonly share: number | undefined }) {
  const state = share === undefined ? 'unknown' : share <= 0 ? 'off' : share >= 100 ? 'all' : 'part'
  const style = { '--share': share ?? 0 } as CSSProperties
  return <span className="dial" data-state={state} style={style} aria-hidden="true" />
}
