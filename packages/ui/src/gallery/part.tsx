import type { ReactNode } from 'react'

/** A component in its states. */
export function Part({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}) {
  return (
    <section className="grid content-start gap-4 border-b border-line py-6">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

export function Row({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-3">{children}</div>
}
