import clsx from 'clsx'

interface Props {
  readonly name: string
  readonly isBot?: boolean
}

/** Who did something: a circle for people, a square for programs. */
export function Avatar({ name, isBot = false }: Props) {
  return (
    <span
      className={clsx(
        'inline-grid size-5.5 flex-none place-items-center bg-pressed text-[0.5625rem] font-[600] tracking-[0.02em] text-text',
        isBot ? 'rounded-[0.3125rem]' : 'rounded-full',
      )}
      aria-hidden="true"
    >
      {initialsOf(name)}
    </span>
  )
}

function initialsOf(name: string): string {
  const words = name.split(/[\s._@-]+/).filter((word) => word !== '')
  const letters =
    words.length > 1
      ? words.slice(0, 2).map((word) => [...word][0] ?? '')
      : [[...name].slice(0, 2).join('')]
  return letters.join('').toUpperCase()
}
