import type { Caller } from '@svc/access'
import type { Database, Queryable } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import { Flag, type FlagServiceDefinition } from '@svc/proto/resource/v1/flags'
import type { Handlers } from '@svc/rpc'
import { invalidArgument, invalidField } from '@svc/runtime'
import { changeHandler, deletionHandler, getHandler, listHandler } from '../changes/handlers.ts'
import { byKey } from '../changes/record-of.ts'
import { useCasesOf } from '../changes/use-cases.ts'
import { recordNotFound, recordNotUnique } from '../records/errors.ts'
import { type RowOf, withInstants } from '../records/instants.ts'
import { containedIn } from '../records/list-query.ts'
import { checkRequest } from '../records/requests.ts'
import { type OwnedRows, Table } from '../records/table.ts'
import { variants } from '../variants/variants.ts'
import { flagSummary, usesSegment } from './summary.ts'
import { readTags } from './tags.store.ts'

interface FlagRow
  extends RowOf<Omit<Flag, 'variants' | 'defaultVariant' | 'metadata' | 'summary'>> {
  readonly metadata: NonNullable<Flag['metadata']> | null
  readonly defaultVariantId: string | null
  readonly variants: OwnedRows
}

export const flags = new Table<FlagRow, Flag>({
  kind: 'flag',
  key: ['namespaceKey', 'key'],
  fields: ['type', 'name', 'description', 'enabled', 'metadata', 'defaultVariantId'],
  more: [variants.ownedBy('namespace_key = flags.namespace_key AND flag_key = flags.key')],
  revision: 'flags.revision',
  toMessage({ metadata, defaultVariantId, variants: rows, ...row }) {
    const flag = withInstants(row)
    const own = variants.fromOwner({ namespaceKey: row.namespaceKey, flagKey: row.key }, rows)
    const defaultVariant = own.find(({ id }) => id === defaultVariantId)
    return {
      ...flag,
      variants: own,
      ...(defaultVariant && { defaultVariant }),
      ...(metadata && { metadata }),
    }
  },
  list: {
    order: ['position'],
    filters: {
      q: containedIn('key', 'name', 'description'),
      type: { type: 'text', isMet: (type) => `type = ${type}` },
      enabled: { type: 'boolean', isMet: (enabled) => `enabled = ${enabled}` },
      // As the index has it.
      tags: { type: 'text[]', isMet: (tags) => `resource.tags(metadata) COLLATE "C" @> ${tags}` },
      owner: { type: 'text', isMet: (owner) => `resource.owner(metadata) = ${owner}` },
      segment: { type: 'text', isMet: usesSegment },
    },
    bytes: 'held_bytes',
    isNamespaceList: true,
    messageType: Flag,
  },
  summary: flagSummary,
})

/** @throws {AppError} `not_found` when there is none */
export async function requireFlag(db: Queryable, namespaceKey: string, key: string): Promise<void> {
  const flag = 'SELECT FROM resource.flags WHERE namespace_key = $1 AND key = $2'
  const rows = await db.query(flag, [namespaceKey, key])
  if (rows.length === 0) throw recordNotFound('flag', namespaceKey, key)
}

const recordOf = byKey('flag')

export const flagUseCases = useCasesOf<FlagServiceDefinition>(flags, {
  recordOf,
  toValues: ({ metadata, ...flag }) => ({
    ...flag,
    metadata: metadata && toMetadataText(metadata),
    defaultVariantId: ('defaultVariantId' in flag && flag.defaultVariantId) || null,
  }),
  violations: ({ namespaceKey, key, ...update }) => ({
    flag_is_unique: () => recordNotUnique('flag', namespaceKey, key),
    default_variant_exists: () => {
      const id = 'defaultVariantId' in update ? update.defaultVariantId : ''
      return invalidArgument(`variant "${id}" not found for flag "${namespaceKey}/${key}"`)
    },
  }),
  notFound: ({ namespaceKey, key }) => recordNotFound('flag', namespaceKey, key),
})

/** JSON; `null` for the empty object, which is the same as none. */
export function toMetadataText(metadata: NonNullable<Flag['metadata']>): string | null {
  const text = JSON.stringify(metadata, (_, value: unknown) => {
    // Infinity and NaN can be sent, but JSON cannot say them.
    if (typeof value !== 'number' || Number.isFinite(value)) return value
    throw invalidField('metadata', 'must hold finite numbers only')
  })
  return text === '{}' ? null : text
}

/** @throws {AppError} for metadata that is too large, or has numbers that JSON cannot say */
export function checkMetadata<T extends Pick<Flag, 'metadata'>>(flag: T): T {
  const { maxBytes } = fieldRules.CreateFlagRequest.metadata
  if (Buffer.byteLength(toMetadataText(flag.metadata ?? {}) ?? '') <= maxBytes) return flag
  throw invalidField('metadata', `must be at most ${maxBytes} bytes`)
}

export function flagHandlers(db: Database) {
  const { create, update, remove } = flagUseCases
  return {
    listFlags: listHandler(db, fieldRules.ListFlagsRequest, flags, (flags) => ({ flags })),
    async listTags(request) {
      return readTags(db, checkRequest(fieldRules.ListTagsRequest, request).namespaceKey)
    },
    getFlag: getHandler(db, fieldRules.GetFlagRequest, flags),
    createFlag: changeHandler(db, fieldRules.CreateFlagRequest, recordOf, create, checkMetadata),
    updateFlag: changeHandler(db, fieldRules.UpdateFlagRequest, recordOf, update, checkMetadata),
    deleteFlag: deletionHandler(db, fieldRules.DeleteFlagRequest, recordOf, remove),
  } satisfies Handlers<FlagServiceDefinition, Caller>
}
