import { endOfText } from '../attachment.ts'

/** A number of JSON as it is written: its spelling may say more than a double keeps. */
export class ExactNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** One that is no text, or the quote that begins one. */
const token = /\s*([{}[\],:"]|[^\s{}[\],:"]+)/y

/**
 * JSON as values, with numbers as {@link ExactNumber}. Objects are maps, in the order of their members; of a
 * member that comes twice the last value counts.
 *
 * @param text is known to be JSON, nested no deeper than a stack has room for
 */
export function parseExact(text: string): unknown {
  let at = 0
  const next = (): string => {
    token.lastIndex = at
    const [, part = ''] = token.exec(text) ?? []
    const end = token.lastIndex
    if (part === '') throw new SyntaxError(`no JSON at ${at}`)
    at = part === '"' ? endOfText(text, end - 1) : end
    return part === '"' ? text.slice(end - 1, at) : part
  }
  const parseValue = (first: string): unknown => {
    if (first === '{') return parseMembers()
    if (first === '[') return parseItems()
    if (/^[-\d]/.test(first)) return new ExactNumber(first)
    return JSON.parse(first)
  }
  const parseMembers = () => {
    const members = new Map<string, unknown>()
    for (let part = next(); part !== '}'; part = next()) {
      if (part === ',') continue
      const name: string = JSON.parse(part)
      next()
      members.set(name, parseValue(next()))
    }
    return members
  }
  const parseItems = () => {
    const items: unknown[] = []
    for (let part = next(); part !== ']'; part = next()) {
      if (part !== ',') items.push(parseValue(part))
    }
    return items
  }
  return parseValue(next())
}

/** JSON without white space, numbers as they are written. The inverse of {@link parseExact}. */
export function toExactJson(value: unknown): string {
  if (value instanceof ExactNumber) return value.text
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(toExactJson).join()}]`
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  const members = entries
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${toExactJson(member)}`)
  return `{${members.join()}}`
}
