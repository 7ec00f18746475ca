import type { LucideIcon } from 'lucide-react'

interface Props {
  readonly of: LucideIcon
  readonly small?: boolean
  readonly className?: string
}

/** A picture beside a word, or in a button that has a name: never the only carrier of a meaning. */
export function Icon({ of: Picture, small = false, className }: Props) {
  return (
    <Picture
      size={small ? 14 : 16}
      strokeWidth={1.5}
      absoluteStrokeWidth
      aria-hidden="true"
      {...(className !== undefined && { className })}
    />
  )
}
