import type { Change, ChangeItem } from '@svc/proto/resource/v1/changes'
import { toInstant } from '../records/instants.ts'
import { nameOf } from '../records/list-query.ts'
import { orderByNumbers } from '../records/order.ts'
import { type TokenScope, toToken } from '../records/page-token.ts'
import type { StoredChange } from './changes.store.ts'

/** Page tokens of the items of a change. */
export function itemScope(namespaceKey: string, revision: number): TokenScope {
  const queryName = nameOf('items', [namespaceKey, revision])
  return { queryName, order: orderByNumbers(['place']) }
}

/** @param from the place of the first of the items */
export function toChange(
  namespaceKey: string,
  stored: StoredChange,
  items: readonly ChangeItem[],
  from = 0,
): Change {
  const { revision, at, source, comment, requestId, details, keyId, itemCount } = stored
  const next = from + items.length
  const hasMore = next < itemCount
  return {
    ...{ revision, at: toInstant(at), source, comment, requestId, keyId, itemCount },
    actor: {
      id: stored.actor,
      method: stored.method ?? '',
      name: stored.name ?? '',
      address: stored.address ?? '',
    },
    ...(details !== null && { details }),
    items: [...items],
    previousHash: stored.previousHash.toString('hex'),
    hash: stored.hash.toString('hex'),
    nextPageToken: hasMore ? toToken(itemScope(namespaceKey, revision), [next]) : '',
  }
}
