import t from 'tap'
import { readChangesSince } from '../replication/changes-since.store.ts'
import { openResources } from '../testing/resources.ts'

t.test(
  'a flag with many rules is read at once in a namespace that statistics do not know',
  async (t) => {
    const { db, ...resources } = await openResources(t)
    const count = 6000
    await db.query(
      `INSERT INTO resource.segments (namespace_key, key, name, match_type)
     SELECT 'default', 's' || n, 'S', 'ALL_MATCH_TYPE' FROM generate_series(1, 2000) AS n`,
    )
    await db.query(`INSERT INTO resource.flags (namespace_key, key, name, type)
                  VALUES ('default', 'f', 'F', 'VARIANT_FLAG_TYPE')`)
    const addRules = `
    WITH rules AS (
      INSERT INTO resource.rules (namespace_key, flag_key, rank, segment_operator)
      SELECT $1, 'f', n, 'OR_SEGMENT_OPERATOR'
        FROM generate_series($2::integer, $2::integer + 499) AS n
      RETURNING id, rank)
    INSERT INTO resource.rule_segments (namespace_key, flag_key, rule_id, segment_key, place)
    SELECT $1, 'f', id, 's1', 1 FROM rules`
    // In portions: a slow machine is given two seconds for each statement, too.
    const add = async (namespaceKey: string, rules: number) => {
      for (let rank = 1; rank <= rules; rank += 500) await db.query(addRules, [namespaceKey, rank])
    }
    await add('default', 2000)
    for (const table of ['flags', 'rules', 'rule_segments', 'segments']) {
      await db.query(`ANALYZE resource.${table}`)
    }
    await resources.createNamespace({ key: 'new', name: 'New' })
    await resources.createSegment({ namespaceKey: 'new', key: 's1', name: 'S' })
    await resources.createFlag({ namespaceKey: 'new', key: 'f', name: 'F' })
    await add('new', count)
    const { flag } = await resources.getFlagDocument({ namespaceKey: 'new', key: 'f' })
    t.equal(flag?.rules.length, count)
  },
)

t.test('small segments are read at once beside a few large ones', async (t) => {
  const { db } = await openResources(t)
  const addSegments = `
    INSERT INTO resource.segments (namespace_key, key, name, match_type, revision, held_bytes)
    SELECT 'default', $1 || n, 'S', 'ALL_MATCH_TYPE', 1, 100 FROM generate_series(1, $2::integer) AS n`
  await db.query(addSegments, ['large', 2])
  for (let part = 0; part < 80; part += 1) {
    await db.query(
      `INSERT INTO resource.constraints (namespace_key, segment_key, type, property, operator)
       SELECT 'default', 'large' || 1 + n % 2, 'STRING_COMPARISON_TYPE', 'p', 'empty'
         FROM generate_series(1, 500) AS n`,
    )
  }
  await db.query('ANALYZE resource.constraints')
  await db.query(addSegments, ['small', 2000])
  const delta = await readChangesSince(db, 'default', 0)
  t.equal(delta.deleted || delta.segments.length, 2002)
})
