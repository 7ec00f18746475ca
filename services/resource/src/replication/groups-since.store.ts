import type { Queryable } from '@svc/database'

/** Maximum keys of a group: each takes some lookups, so many take some tens of milliseconds. */
const maxKeys = 1000

/** Maximum bytes of a group: a tenth of a second or so. One flag or segment may take more. */
const maxBytes = 4 * 2 ** 20

/**
 * Names the flags or segments that have changed since a revision, with their revisions by key: in
 * groups that one statement can read well within the two seconds that it may take.
 */
export async function* groupsSince(
  tx: Queryable,
  kind: 'flag' | 'segment',
  namespaceKey: string,
  from: number,
): AsyncGenerator<ReadonlyMap<string, number>, void> {
  for (let after = { revision: from + 1, key: '' }; ; ) {
    const page = await tx.query<{ revision: number; key: string; bytes: number }>(
      `SELECT revision, key, held_bytes AS bytes FROM resource.${kind}s
        WHERE namespace_key = $1 AND (revision, key) > ($2, $3)
        ORDER BY revision, key LIMIT $4`,
      [namespaceKey, after.revision, after.key, maxKeys],
    )
    let group = new Map<string, number>()
    let room = maxBytes
    for (const { key, revision, bytes } of page) {
      if (group.size > 0 && bytes > room) {
        yield group
        group = new Map()
        room = maxBytes
      }
      group.set(key, revision)
      room -= bytes
    }
    if (group.size > 0) yield group
    const last = page.at(-1)
    if (last === undefined || page.length < maxKeys) return
    after = last
  }
}
