import type { Context } from '../context.ts'
import { readAll } from '../pages.ts'

/** The first line of the comment of a namespace's creation: by it the manager knows it again. */
export function creationMark(manager: string): string {
  return `Namespace of manager "${manager}", made by svc sync`
}

/** Namespaces that a manager has made and its files do not have any more. */
export interface GoneNamespaces {
  readonly empty: readonly string[]
  /** Those with flags or segments: they stay. */
  readonly filled: readonly string[]
}

/** @param keys of the namespaces that the files have */
export async function findGone(
  context: Context,
  keys: ReadonlySet<string>,
  manager: string,
): Promise<GoneNamespaces> {
  const { api, signal } = context
  const namespaces = await readAll(async (pageToken) => {
    const request = { limit: 500, view: 'SUMMARY', pageToken }
    const page = await api.namespaces.list(request, { signal })
    return { rows: page.namespaces, next: page.nextPageToken }
  })
  const empty: string[] = []
  const filled: string[] = []
  for (const { key, protected: isProtected, flagCount = 0, segmentCount = 0 } of namespaces) {
    if (keys.has(key) || isProtected || !(await isMadeBy(context, key, manager))) continue
    if (flagCount + segmentCount === 0) empty.push(key)
    else filled.push(key)
  }
  return { empty, filled }
}

/** Whether the last creation of a namespace was that of a manager. What the history does not have is not. */
async function isMadeBy(
  { api, signal }: Context,
  namespaceKey: string,
  manager: string,
): Promise<boolean> {
  const kind = 'NAMESPACE_KIND'
  let pageToken = ''
  do {
    const request = { namespaceKey, kind, key: namespaceKey, limit: 100, pageToken } as const
    const page = await api.changes.list(request, { signal })
    const creation = page.changes.find(({ items }) =>
      items.some((item) => item.kind === kind && item.action === 'CREATED_ACTION'),
    )
    if (creation !== undefined) return creation.comment.split('\n')[0] === creationMark(manager)
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  return false
}
