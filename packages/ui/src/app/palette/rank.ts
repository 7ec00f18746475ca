/** Those first whose name or key has a word that begins with the text, then those that have it at all. */
export function rank<T extends { readonly key: string; readonly name: string }>(
  found: readonly T[],
  q: string,
): readonly T[] {
  const wanted = q.toLowerCase()
  const placeOf = ({ key, name }: T) => {
    const text = `${name} ${key}`.toLowerCase()
    if ([name, key].some((one) => one.toLowerCase().startsWith(wanted))) return 0
    if (text.split(/[\s_,-]+/).some((word) => word.startsWith(wanted))) return 1
    return text.includes(wanted) ? 2 : 3
  }
  return [...found].sort((one, other) => placeOf(one) - placeOf(other))
}
