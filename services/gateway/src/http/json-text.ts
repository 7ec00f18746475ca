const quoteUnit = 34
const backslash = 92

/** A text as JSON. Most have nothing to escape, and to see that is cheaper than to write them anew. */
export function quote(text: string): string {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    // Control characters, and surrogates, of which some may stand alone.
    if (unit < 32 || unit === quoteUnit || unit === backslash || unit >= 0xd800) {
      return JSON.stringify(text)
    }
  }
  return `"${text}"`
}

/** A list of texts as JSON. */
export function quoteAll(texts: readonly string[]): string {
  if (texts.length === 0) return '[]'
  let list = ''
  for (const text of texts) list += list === '' ? quote(text) : `,${quote(text)}`
  return `[${list}]`
}

/** JSON as it is or, where the client requests that, indented. */
export function indentIf(isPretty: boolean, json: string): string {
  return isPretty ? JSON.stringify(JSON.parse(json), null, 2) : json
}
