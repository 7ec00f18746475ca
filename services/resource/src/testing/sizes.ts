import type { Queryable } from '@svc/database'

/** What the namespace takes by its count, and by looking at everything in it. */
export async function sizesOf(db: Queryable, namespaceKey = 'default') {
  const [row] = await db.query<{ counted: number; actual: number }>(
    `SELECT held_bytes AS counted,
            (SELECT coalesce(sum(resource.bytes_of_flag(namespace_key, key)), 0)
               FROM resource.flags WHERE namespace_key = $1)
            + (SELECT coalesce(sum(resource.bytes_of_segment(namespace_key, key)), 0)
                 FROM resource.segments WHERE namespace_key = $1) AS actual
       FROM resource.namespaces WHERE key = $1`,
    [namespaceKey],
  )
  return { counted: Number(row?.counted), actual: Number(row?.actual) }
}
