import type { Queryable } from '@svc/database'
import type { Request } from '../support/http.ts'

export const namespaceKeys = ['default', 'red', 'blue'] as const
export type NamespaceKey = (typeof namespaceKeys)[number]

/** Stands in every text that is written in a namespace, and in none that is written elsewhere. */
export function canaryOf(namespaceKey: string): string {
  return `canary-of-${namespaceKey}-end`
}

/** What there is to be asked for: the same keys in all namespaces, with contents of their own. */
export interface Fixture {
  /** Of whatever has one, in whichever namespace; and one of nothing. */
  readonly ids: readonly string[]
  /** Of tokens; a global token would end them. */
  readonly loginIds: readonly string[]
  readonly foreignIdsOf: ReadonlyMap<string, readonly string[]>
}

/** Of tables whose rows have an id. */
const tablesWithIds = ['variants', 'constraints', 'rules', 'distributions', 'rollouts'] as const

/** Makes a namespace as it is to be found, unless something of everything is still there. */
export async function furnish(db: Queryable, api: Request, key: NamespaceKey): Promise<void> {
  const [row] = await db.query<{ missing: string }>(
    `SELECT ${[...tablesWithIds, 'flags', 'segments']
      .map(
        (table) =>
          `(SELECT count(*) < ${table === 'flags' || table === 'segments' ? 2 : 1}
              FROM resource.${table} WHERE namespace_key = $1)::int`,
      )
      .join(' + ')} AS missing`,
    [key],
  )
  if (Number(row?.missing) === 0) return
  const text = canaryOf(key)
  const about = { name: text, description: text }
  const base = `/api/v1/namespaces/${key}`
  const send = async (method: string, path: string, body?: object) => {
    const answer = await api(method, `${base}${path}`, body)
    return String((answer.body as { id?: unknown }).id)
  }
  await api('POST', '/api/v1/namespaces', { key, ...about })
  for (const flagKey of ['color', 'switch']) await send('DELETE', `/flags/${flagKey}`)
  for (const segmentKey of ['everyone', 'few']) {
    await send('DELETE', `/segments/${segmentKey}`)
    await send('POST', '/segments', { key: segmentKey, ...about, matchType: 'ANY_MATCH_TYPE' })
    await send('POST', `/segments/${segmentKey}/constraints`, {
      type: 'STRING_COMPARISON_TYPE',
      property: 'p',
      operator: 'notempty',
      ...about,
    })
  }
  await send('POST', '/flags', { key: 'color', ...about, enabled: true })
  await send('POST', '/flags', { key: 'switch', ...about, type: 'BOOLEAN_FLAG_TYPE' })
  const attachment = JSON.stringify({ text })
  const variantId = await send('POST', '/flags/color/variants', {
    key: 'one',
    ...about,
    attachment,
  })
  const ruleId = await send('POST', '/flags/color/rules', { segmentKey: 'few', rank: 1 })
  await send('POST', `/flags/color/rules/${ruleId}/distributions`, { variantId, rollout: 100 })
  await send('POST', '/flags/switch/rollouts', {
    rank: 1,
    ...about,
    segment: { segmentKey: 'few', value: true },
  })
}

export async function lookAround(db: Queryable): Promise<Fixture> {
  const rows = await db.query<{ id: string; namespaceKey: string }>(
    tablesWithIds
      .map((table) => `SELECT id, namespace_key AS "namespaceKey" FROM resource.${table}`)
      .join(' UNION ALL '),
  )
  const logins = await db.query<{ id: string }>('SELECT id FROM auth.authentications LIMIT 5')
  const nothing = '00000000-0000-4000-8000-000000000000'
  return {
    ids: rows.map(({ id }) => id).concat(nothing),
    loginIds: logins.map(({ id }) => id),
    foreignIdsOf: new Map(
      namespaceKeys.map((key) => [
        key,
        rows.filter(({ namespaceKey }) => namespaceKey !== key).map(({ id }) => id),
      ]),
    ),
  }
}

/** @returns all that a namespace holds, in the form of a hash */
export async function fingerprint(db: Queryable, key: string): Promise<string> {
  const tables = await namespaceTables(db)
  const hashes = tables.map(
    (table) => `SELECT coalesce(md5(string_agg(r::text, '|' ORDER BY r::text)), '') AS part
                  FROM ${table} r WHERE namespace_key = $1`,
  )
  const own = `SELECT md5(string_agg(r::text, '|')) FROM resource.namespaces r WHERE key = $1`
  const rows = await db.query<{ part: string }>([...hashes, own].join(' UNION ALL '), [key])
  return rows.map(({ part }) => part).join(' ')
}

/** @returns who may come in, and until when */
export async function fingerprintLogins(db: Queryable): Promise<string> {
  const [row] = await db.query<{ hash: string }>(
    `SELECT md5(string_agg(concat_ws(' ', id, namespace_key, expires_at), '|' ORDER BY id)) AS hash
       FROM auth.authentications`,
  )
  return row?.hash ?? ''
}

/** @returns rows that hold what was written for another namespace */
export async function findMisplaced(db: Queryable): Promise<string[]> {
  const tables = await namespaceTables(db)
  const marked = `r::text LIKE '%canary-of-%'`
  const misplaced = tables.map(
    (table) => `SELECT '${table} ' || left(r::text, 300) AS row FROM ${table} r WHERE ${marked}
      AND replace(r::text, 'canary-of-' || namespace_key || '-end', '') LIKE '%canary-of-%'`,
  )
  const own = `SELECT 'resource.namespaces ' || r::text FROM resource.namespaces r WHERE ${marked}
      AND replace(r::text, 'canary-of-' || key || '-end', '') LIKE '%canary-of-%'`
  const rows = await db.query<{ row: string }>([...misplaced, own].join(' UNION ALL '))
  return rows.map(({ row }) => row)
}

async function namespaceTables(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `SELECT 'resource.' || table_name AS name FROM information_schema.columns
      WHERE table_schema = 'resource' AND column_name = 'namespace_key'
        AND table_name IN (SELECT table_name FROM information_schema.tables
                            WHERE table_schema = 'resource' AND table_type = 'BASE TABLE')
      ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}
