import type { LucideIcon } from 'lucide-react'

interface Props {
  readonly of: LucideIcon
  readonly small?: boolean
}

/** A picture beside a word, or in a button that has a name: never the only carrier of a meaning. */
export function Icon({ of: Picture, small = false }: Props) {
  return <Picture className={small ? 'i s' : 'i'} strokeWidth={1.5} aria-hidden="true" />
}
