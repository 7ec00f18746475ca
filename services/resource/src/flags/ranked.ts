import type { Queryable } from '@svc/database'
import { invalidField } from '@svc/runtime'
import { flagOf } from '../changes/record-of.ts'
import type { UseCase } from '../changes/use-cases.ts'
import { requireFlag } from './flags.ts'

/** What a flag has in an order of its own; those of the same rank in the order of their creation. */
type Kind = 'rule' | 'rollout'

export interface FlagName {
  readonly namespaceKey: string
  readonly flagKey: string
}

/** SQL: the revision of the flag that a row is part of. */
export const revisionOfFlag = (kind: Kind) => `
  (SELECT f.revision FROM resource.flags AS f
    WHERE f.namespace_key = ${kind}s.namespace_key AND f.key = ${kind}s.flag_key)`

/** By rank. */
export function listRanks(
  tx: Queryable,
  kind: Kind,
  { namespaceKey, flagKey }: FlagName,
): Promise<{ id: string; rank: number }[]> {
  return tx.query(
    `SELECT id, rank FROM resource.${kind}s
      WHERE namespace_key = $1 AND flag_key = $2 ORDER BY rank`,
    [namespaceKey, flagKey],
  )
}

/** The largest that the interface has. */
const lastRank = 2 ** 31 - 1

/** The rank of what comes last. @param ranks as {@link listRanks} gives them */
export function rankAfter(ranks: readonly { readonly rank: number }[]): number {
  return Math.min((ranks.at(-1)?.rank ?? 0) + 1, lastRank)
}

/** Ranks what a flag has as the field lists it, from 1. */
export function orderUseCase<Field extends string>(
  kind: Kind,
  field: Field,
): UseCase<FlagName & Readonly<Record<Field, readonly string[]>>, Record<string, never>> {
  return async (tx, change, request) => {
    const { namespaceKey, flagKey } = request
    const ids: readonly string[] = request[field]
    await requireFlag(tx, namespaceKey, flagKey)
    const existing = await listRanks(tx, kind, request)
    const given = new Set(ids)
    const isSame = given.size === ids.length && given.size === existing.length
    if (!isSame || !existing.every(({ id }) => given.has(id))) {
      throw invalidField(field, 'must contain all ids of the flag, each of them once')
    }
    await tx.query(
      `UPDATE resource.${kind}s AS r
          SET rank = wanted.rank, updated_at = statement_timestamp()
         FROM unnest($3::text[]) WITH ORDINALITY AS wanted (id, rank)
        WHERE r.namespace_key = $1 AND r.flag_key = $2 AND r.id = wanted.id`,
      [namespaceKey, flagKey, ids],
    )
    change.changed(flagOf(request))
    return {}
  }
}

/** Deletes one, with all that it has; those that are left are ranked from 1. */
export function deletionUseCase(kind: Kind): UseCase<FlagName & { readonly id: string }, void> {
  return async (tx, change, request) => {
    const { namespaceKey, flagKey, id } = request
    const rows = await tx.query(
      `DELETE FROM resource.${kind}s
        WHERE namespace_key = $1 AND flag_key = $2 AND id = $3 RETURNING id`,
      [namespaceKey, flagKey, id],
    )
    if (rows.length === 0) return
    await tx.query(
      `UPDATE resource.${kind}s AS r
          SET rank = wanted.rank, updated_at = statement_timestamp()
         FROM (SELECT id, row_number() OVER (ORDER BY rank, position) AS rank
                 FROM resource.${kind}s WHERE namespace_key = $1 AND flag_key = $2) AS wanted
        WHERE r.namespace_key = $1 AND r.flag_key = $2
          AND r.id = wanted.id AND r.rank <> wanted.rank`,
      [namespaceKey, flagKey],
    )
    change.changed(flagOf(request))
  }
}
