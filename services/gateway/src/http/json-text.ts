/** All that JSON has to escape, and a little more. */
const special = /["\\\p{Cc}\p{Surrogate}]/u

/** A text as JSON. Most have nothing to escape, and to see that is cheaper than to write them anew. */
export function quote(text: string): string {
  return special.test(text) ? JSON.stringify(text) : `"${text}"`
}

/** A list of texts as JSON. */
export function quoteAll(texts: readonly string[]): string {
  let list = ''
  for (const text of texts) list += list === '' ? quote(text) : `,${quote(text)}`
  return `[${list}]`
}
