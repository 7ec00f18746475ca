import { layoutJson } from './layout.ts'

/** Where a text is no JSON. */
export interface JsonProblem {
  /** From 0. */
  readonly offset: number
  /** From 1. */
  readonly line: number
}

/** @returns nothing when it is JSON */
export function findJsonProblem(text: string): JsonProblem | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const offset = offsetOf(error instanceof Error ? error.message : '', text)
    return { offset, line: text.slice(0, offset).split('\n').length }
  }
}

/** Browsers say where in their messages, each in its own way; where one says nothing it is the end. */
function offsetOf(message: string, text: string): number {
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return Math.min(Number(position), text.length)
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? []
  if (line === undefined) return text.trimEnd().length
  const before = text.split('\n').slice(0, Number(line) - 1)
  return Math.min(
    `${before.join('\n')}\n`.length * Number(before.length > 0) + Number(column) - 1,
    text.length,
  )
}

/** JSON as people write it; what is none stays as it is. */
export function formatJson(text: string): string {
  return findJsonProblem(text) === undefined ? layoutJson(text) : text
}
