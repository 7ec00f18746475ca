/** Who did something: a circle for people, a square for programs. */
export function Avatar({
  name,
  isBot = false,
}: {
  readonly name: string
  readonly isBot?: boolean
}) {
  return (
    <span className={isBot ? 'avatar bot' : 'avatar'} aria-hidden="true">
      {initialsOf(name)}
    </span>
  )
}

function initialsOf(name: string): string {
  const words = name.split(/[\s._@-]+/).filter((word) => word !== '')
  const letters =
    words.length > 1 ? words.slice(0, 2).map(([first = '']) => first) : [name.slice(0, 2)]
  return letters.join('').toUpperCase()
}
