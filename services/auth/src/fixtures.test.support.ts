import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/**
 * Reads the YAML or JSON of `test/fixtures/PATH`.
 * In texts `<ab:3>` stands for `ababab`, and the text `<undefined>` for no value.
 */
export function readFixture<T>(path: string): T {
  const file = new URL(`../../../test/fixtures/${path}`, import.meta.url)
  return expand(parse(readFileSync(file, 'utf8'), { merge: true, maxAliasCount: -1 })) as T
}

function expand(value: unknown): unknown {
  if (value === '<undefined>') return undefined
  if (typeof value === 'string')
    return value.replace(/<([^<>]+):(\d+)>/g, (_, part, count) => part.repeat(Number(count)))
  if (Array.isArray(value)) return value.map(expand)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, expand(each)]))
}
