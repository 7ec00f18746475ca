import type { Queryable } from '@svc/database'
import type { FlagDocument, RolloutDocument } from '@svc/proto/resource/v1/documents'
import { toMetadataText } from '../flags/flags.ts'
import { type PartTable, type Row, writeParts, writeSegments } from './parts.store.ts'

/** A flag as it will be. */
export interface FlagWrite {
  readonly before: FlagDocument | undefined
  readonly after: FlagDocument
  readonly managedBy: string
  /** The members that are others than before. */
  readonly changed: ReadonlySet<string>
}

/**
 * Writes flags by sets, all tables one after the other and without a wait in between. Of a flag, only the
 * lists that are others than before: ranks of rules stay as they are unless their list changes.
 */
export async function writeFlags(
  tx: Queryable,
  namespaceKey: string,
  writes: readonly FlagWrite[],
): Promise<void> {
  const changing = (...members: readonly (keyof FlagDocument)[]) =>
    writes.filter(({ changed }) => members.some((member) => changed.has(member)))
  const [withVariants, withRules] = [changing('variants'), changing('rules')]
  // A distribution refers to its variant by id, which its document does not show.
  const withDistributions = changing('variants', 'rules')
  const withRollouts = changing('rollouts')
  const write = (
    part: PartTable,
    of: readonly FlagWrite[],
    rowsOf: (flag: FlagDocument) => Row[],
  ) => writeParts(tx, namespaceKey, part, keysOf(of), rowsIn(of, rowsOf))
  await Promise.all([
    writeRows(tx, namespaceKey, writes),
    freeVariantKeys(tx, namespaceKey, withVariants),
    write(variants, withVariants, ({ variants }) => variants.map((variant) => ({ ...variant }))),
    writeDefaults(tx, namespaceKey, withVariants),
    write(rules, withRules, ({ rules }) =>
      rules.map(({ id, operator }, place) => ({ id, rank: place + 1, segment_operator: operator })),
    ),
    writeSegments(tx, namespaceKey, 'rule', keysOf(withRules), rowsIn(withRules, segmentsOfRules)),
    write(distributions, withDistributions, distributionsOf),
    write(rollouts, withRollouts, ({ rollouts }) => rollouts.map(toRolloutRow)),
    writeSegments(
      tx,
      namespaceKey,
      'rollout',
      keysOf(withRollouts),
      rowsIn(withRollouts, segmentsOfRollouts),
    ),
  ])
}

const variants: PartTable = {
  table: 'variants',
  owner: 'flag_key',
  key: ['id'],
  columns: { key: 'text', name: 'text', description: 'text', attachment: 'text' },
  isInOrder: true,
}

const rules: PartTable = {
  table: 'rules',
  owner: 'flag_key',
  key: ['id'],
  columns: { rank: 'integer', segment_operator: 'text' },
  isInOrder: false,
}

const distributions: PartTable = {
  table: 'distributions',
  owner: 'flag_key',
  key: ['rule_id', 'id'],
  columns: { variant_id: 'text', rollout: 'real' },
  isInOrder: true,
}

const rollouts: PartTable = {
  table: 'rollouts',
  owner: 'flag_key',
  key: ['id'],
  columns: {
    rank: 'integer',
    description: 'text',
    value: 'boolean',
    type: 'text',
    segment_operator: 'text',
    percentage: 'real',
  },
  isInOrder: false,
}

function keysOf(writes: readonly FlagWrite[]): string[] {
  return writes.map(({ after }) => after.key)
}

function rowsIn(writes: readonly FlagWrite[], rowsOf: (flag: FlagDocument) => Row[]): Row[] {
  return writes.flatMap(({ after }) =>
    rowsOf(after).map((row) => ({ ...row, flag_key: after.key })),
  )
}

/**
 * The rows of flags themselves; new ones in their order. Each has a time of its own, a microsecond after the one
 * before it: copies are ordered by time, and by key where it is the same.
 */
function writeRows(tx: Queryable, namespaceKey: string, writes: readonly FlagWrite[]) {
  const rows = writes.map(({ after, managedBy }, place) => {
    const { key, type, name, description, enabled, metadata } = after
    const text = toMetadataText(metadata ?? {})
    return { place, key, type, name, description, enabled, metadata: text, managed_by: managedBy }
  })
  return tx.query(
    `INSERT INTO resource.flags
           (namespace_key, key, type, name, description, enabled, metadata, managed_by,
            created_at, updated_at)
     SELECT $1, r.key, r.type, r.name, r.description, r.enabled, r.metadata::json, r.managed_by,
            made.at, made.at
       FROM json_to_recordset($2::json) AS r (place integer, key text, type text, name text,
              description text, enabled boolean, metadata text, managed_by text),
            LATERAL (SELECT statement_timestamp() + r.place * interval '1 microsecond') AS made (at)
      ORDER BY r.place
     ON CONFLICT (namespace_key, key) DO UPDATE
        SET name = excluded.name, description = excluded.description, enabled = excluded.enabled,
            metadata = excluded.metadata, managed_by = excluded.managed_by,
            updated_at = statement_timestamp()`,
    [namespaceKey, JSON.stringify(rows)],
  )
}

/** Variants that get other keys give theirs up first: another one may get it. */
async function freeVariantKeys(
  tx: Queryable,
  namespaceKey: string,
  writes: readonly FlagWrite[],
): Promise<void> {
  const renamed = writes.flatMap(({ before, after }) => {
    const keys = new Map(before?.variants.map(({ id, key }) => [id, key]))
    const others = after.variants.filter(({ id, key }) => keys.has(id) && keys.get(id) !== key)
    return others.map(({ id }) => ({ flag_key: after.key, id }))
  })
  if (renamed.length === 0) return
  await tx.query(
    `UPDATE resource.variants AS v SET key = gen_random_uuid()
       FROM json_to_recordset($2::json) AS r (flag_key text, id text)
      WHERE v.namespace_key = $1 AND v.flag_key = r.flag_key AND v.id = r.id`,
    [namespaceKey, JSON.stringify(renamed)],
  )
}

async function writeDefaults(
  tx: Queryable,
  namespaceKey: string,
  writes: readonly FlagWrite[],
): Promise<void> {
  if (writes.length === 0) return
  const rows = writes.map(({ after: { key, variants } }) => ({
    key,
    id: variants.find((variant) => variant.default)?.id ?? null,
  }))
  await tx.query(
    `UPDATE resource.flags AS f SET default_variant_id = r.id
       FROM json_to_recordset($2::json) AS r (key text, id text)
      WHERE f.namespace_key = $1 AND f.key = r.key AND f.default_variant_id IS DISTINCT FROM r.id`,
    [namespaceKey, JSON.stringify(rows)],
  )
}

function segmentsOfRules({ rules }: FlagDocument): Row[] {
  return rules.flatMap(({ id, segments }) =>
    segments.map((key, place) => ({ rule_id: id, segment_key: key, place: place + 1 })),
  )
}

function segmentsOfRollouts({ rollouts }: FlagDocument): Row[] {
  return rollouts.flatMap(({ id, segment }) =>
    (segment?.segments ?? []).map((key, place) => ({
      ...{ rollout_id: id, segment_key: key, place: place + 1 },
    })),
  )
}

function distributionsOf({ variants, rules }: FlagDocument): Row[] {
  const ids = new Map(variants.map(({ key, id }) => [key, id]))
  return rules.flatMap((rule) =>
    rule.distributions.map(({ id, variant, rollout }) => ({
      ...{ rule_id: rule.id, id, variant_id: ids.get(variant), rollout },
    })),
  )
}

function toRolloutRow(
  { id, description, segment, threshold }: RolloutDocument,
  place: number,
): Row {
  return {
    ...{ id, rank: place + 1, description, value: (segment ?? threshold)?.value ?? false },
    type: segment === undefined ? 'THRESHOLD_ROLLOUT_TYPE' : 'SEGMENT_ROLLOUT_TYPE',
    segment_operator: segment?.operator ?? null,
    percentage: threshold?.percentage ?? null,
  }
}
