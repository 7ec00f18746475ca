/** Whether each word of what was typed begins a word of the text. */
export function matches(text: string, typed: string): boolean {
  const words = text.toLowerCase().split(/[\s:_-]+/)
  const wanted = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return wanted.every((one) => words.some((word) => word.startsWith(one)))
}
