import type { FlagDocument, StoredFlag } from '@svc/client/api'
import { api } from '../../../data/api.ts'
import { type Written, write } from '../../../data/writes.ts'

/**
 * Saves a whole flag as it was made from what was read.
 *
 * @param etag of what was read; it fails with 412 when others have changed the flag since
 */
export function saveFlag(
  namespaceKey: string,
  flag: FlagDocument,
  etag: string | undefined,
): Promise<Written<StoredFlag>> {
  return write(namespaceKey, (options) =>
    api.documents.putFlag({ namespaceKey, key: flag.key, flag }, { ...options, ifMatch: etag }),
  )
}
