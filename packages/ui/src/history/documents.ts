import type { FlagDocument } from '@svc/client/api'
import { toYaml } from '../data/yaml.ts'

/** A document of a change, which came as text; empty when there is none. */
export function readDocument(json: string | undefined): Readonly<Record<string, unknown>> {
  const value = readJson(json)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? // An object that JSON made has only members of texts.
      (value as Record<string, unknown>)
    : {}
}

/** @returns nothing for no JSON */
export function readJson(json: string | undefined): unknown {
  if (json === undefined) return undefined
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** What the object of a change is called: its name, or else its key. */
export function nameOf(item: {
  readonly key: string
  readonly before?: string | undefined
  readonly after?: string | undefined
}): string {
  const { name } = readDocument(item.after ?? item.before)
  return typeof name === 'string' && name !== '' ? name : item.key
}

/** A document of a change as YAML, to be compared line by line: without ids, as documents are shown. */
export async function yamlOf(json: string | undefined): Promise<string> {
  const document = readDocument(json)
  // What was logged are documents, without what is empty.
  return json === undefined ? '' : await toYaml(document as unknown as FlagDocument)
}
