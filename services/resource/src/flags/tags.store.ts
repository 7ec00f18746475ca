import type { Queryable } from '@svc/database'
import type { Tag, TagList } from '@svc/proto/resource/v1/flags'

/** Maximum tags of an answer: more than a menu can show, and 300 KB at most. */
const maxTags = 1000

/** The tags of a namespace's flags, the most used first. */
export async function readTags(db: Queryable, namespaceKey: string): Promise<TagList> {
  const rows = await db.query<Tag & { totalCount: number }>(
    `SELECT tag.name, count(DISTINCT position)::integer AS count, count(*) OVER ()::integer AS "totalCount"
       FROM resource.flags, unnest(resource.tags(metadata) COLLATE "C") AS tag (name)
      WHERE namespace_key = $1 AND metadata IS NOT NULL
      GROUP BY tag.name
      ORDER BY 2 DESC, tag.name COLLATE "C"
      LIMIT $2`,
    [namespaceKey, maxTags],
  )
  const tags = rows.map(({ name, count }) => ({ name, count }))
  return { tags, totalCount: rows[0]?.totalCount ?? 0 }
}
