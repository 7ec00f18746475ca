interface Named {
  readonly key: string
  readonly name: string
}

/**
 * Those that have the text in their name or key, as the service finds them: what it found for a text before is
 * offered only where it fits the one that stands there now.
 */
export function withText<T extends Named>(found: readonly T[], text: string): readonly T[] {
  const wanted = text.toLowerCase()
  return found.filter(({ key, name }) =>
    [key, name].some((one) => one.toLowerCase().includes(wanted)),
  )
}
