import type { NamespaceFiles } from '@svc/documents/files'

/** Bytes of all files: they are read in the page, in one go. */
export const maxBytes = 16 * 1024 * 1024

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
    files.map(async (file) => ({ name: file.name, text: await file.text() })),
  )
  try {
    const { namespaces, warnings } = readFiles(texts, { unknownMembers: 'warn' })
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
