import { type Context, toContext } from '@svc/evaluation'

/** What was typed as a context. */
export type ReadContext =
  | { readonly context: Context }
  /** The first line that cannot be read, from 1; nothing when all of it is no JSON. */
  | { readonly wrongLine: number | undefined }

/**
 * Reads a context: lines such as `country = DE`, or JSON. Numbers, `true` and the like of JSON become texts, as
 * in the service.
 */
export function readContext(text: string): ReadContext {
  return text.trimStart().startsWith('{') ? readJson(text) : readLines(text)
}

function readJson(text: string): ReadContext {
  try {
    return { context: toContext(JSON.parse(text)) }
  } catch {
    return { wrongLine: undefined }
  }
}

function readLines(text: string): ReadContext {
  const entries: [string, string][] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const sign = line.indexOf('=')
    const name = line.slice(0, sign).trim()
    if (sign === -1 || name === '') return { wrongLine: index + 1 }
    entries.push([name, line.slice(sign + 1).trim()])
  }
  // `__proto__` is a name like any other.
  return { context: Object.assign(Object.create(null), Object.fromEntries(entries)) }
}
