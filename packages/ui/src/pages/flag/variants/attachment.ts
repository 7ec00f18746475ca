import { findJsonProblem } from '../../../components/json-editor/json.ts'
import { compactJson } from '../../../components/json-editor/layout.ts'

/** Bytes of an attachment, without white space, and its depth: what the service takes. */
export const maxBytes = 1_024_000
export const maxDepth = 64

export type AttachmentProblem =
  | { readonly kind: 'noJson'; readonly line: number }
  | { readonly kind: 'tooLong' | 'tooDeep' }

/** What the service would keep of a text, and why it would refuse it. */
export interface ReadAttachment {
  readonly attachment: string
  readonly bytes: number
  readonly problem: AttachmentProblem | undefined
}

/** Reads what was typed; white space alone is none. */
export function readAttachment(text: string): ReadAttachment {
  if (text.trim() === '') return { attachment: '', bytes: 0, problem: undefined }
  const noJson = findJsonProblem(text)
  const attachment = noJson === undefined ? compactJson(text) : text
  const bytes = new TextEncoder().encode(attachment).length
  const problem: AttachmentProblem | undefined =
    noJson !== undefined
      ? { kind: 'noJson', line: noJson.line }
      : bytes > maxBytes
        ? { kind: 'tooLong' }
        : depthOf(attachment) > maxDepth
          ? { kind: 'tooDeep' }
          : undefined
  return { attachment, bytes, problem }
}

/** @param json is known to be JSON */
function depthOf(json: string): number {
  let depth = 0
  let deepest = 0
  for (const [part] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (part === '{' || part === '[') deepest = Math.max(deepest, ++depth)
    else if (part === '}' || part === ']') depth--
  }
  return deepest
}

/** Letters of a preview. */
const maxPreview = 48
/** Members that a preview names. */
const maxMembers = 4

/** An attachment in a few letters: the names of an object's members, or the value itself. */
export function previewOf(attachment: string): string {
  if (attachment === '') return ''
  if (attachment.length > maxBytes) return '{ … }'
  try {
    const value: unknown = JSON.parse(attachment)
    if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.length} ]`
    if (typeof value === 'object' && value !== null) {
      const names = Object.keys(value)
      const shown = names.slice(0, maxMembers).join(', ')
      return names.length === 0
        ? '{}'
        : cut(`{ ${shown}${names.length > maxMembers ? ', …' : ''} }`)
    }
  } catch {
    // It is shown as it is.
  }
  return cut(attachment)
}

function cut(text: string): string {
  return text.length > maxPreview ? `${text.slice(0, maxPreview)}…` : text
}
