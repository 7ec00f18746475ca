import type { StoredNamespace } from '@svc/documents/files'
import type { Context } from './context.ts'
import { orSuggest } from './missing.ts'

/**
 * All documents of a namespace, as it is or as it was at a revision.
 *
 * @throws {CliError} that names the namespace that was probably meant
 */
export async function readContent(
  context: Context,
  namespaceKey: string,
  revision?: number,
): Promise<StoredNamespace> {
  const { api, progress, signal } = context
  const { readNamespace } = await import('@svc/documents/files')
  const call = progress.show(`reading ${namespaceKey}`, (update) =>
    readNamespace(api, namespaceKey, {
      ...{ revision, signal },
      onProgress: (count) => update(`${count} flags and segments`),
    }),
  )
  return orSuggest({ ...context, namespaceKey }, 'namespaces', namespaceKey, call)
}
