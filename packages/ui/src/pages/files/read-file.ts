import type { NamespaceFiles } from '@svc/documents/files'

/** Bytes of all files: they are read in the page, in one go. */
export const maxBytes = 2 * 1024 * 1024

/** What was chosen, and what is in it. */
export interface ReadFile {
  readonly names: readonly string[]
  readonly bytes: number
  readonly namespaces: readonly NamespaceFiles[]
  /** What was passed over, a line each. */
  readonly warnings: readonly string[]
}

export type FileOutcome =
  | { readonly kind: 'read'; readonly file: ReadFile }
  | { readonly kind: 'too large' }
  /** A line each, with its place. */
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }

/** Reads files that a person has chosen. What they hold leaves the page with Apply alone. */
export async function readChosen(files: readonly File[]): Promise<FileOutcome> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (bytes > maxBytes) return { kind: 'too large' }
  const { FilesError, problemText, readFiles } = await import('@svc/documents/files')
  const texts = await Promise.all(
    files.map(async (file) => ({ name: file.name, text: await readText(file) })),
  )
  const unreadable = texts.filter(({ text }) => text === undefined)
  if (unreadable.length > 0)
    return {
      kind: 'wrong',
      problems: unreadable.map(({ name }) => `${name}: is not UTF-8: save it as UTF-8 first`),
    }
  try {
    const { namespaces, warnings } = readFiles(
      texts.map(({ name, text = '' }) => ({ name, text })),
      { unknownMembers: 'warn' },
    )
    const names = texts.map(({ name }) => name)
    return {
      kind: 'read',
      file: { names, bytes, namespaces, warnings: warnings.map(problemText) },
    }
  } catch (error) {
    if (!(error instanceof FilesError)) throw error
    return { kind: 'wrong', problems: error.message.split('\n') }
  }
}

/** @returns nothing when it is not UTF-8: other bytes would become other letters */
async function readText(file: File): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
