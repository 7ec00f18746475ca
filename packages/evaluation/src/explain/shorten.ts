/** Maximum characters of a compared text that an explanation shows. */
const maxShown = 256

/** A text of more than 256 characters as its first ones and `…`; no character is cut in two. */
export function shorten(text: string): string {
  if (text.length <= maxShown) return text
  const isPair = (text.codePointAt(maxShown - 1) ?? 0) > 0xffff
  return `${text.slice(0, isPair ? maxShown - 1 : maxShown)}…`
}
