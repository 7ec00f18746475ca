import type { FlagDocument } from '@svc/client/api'
import { queryClient } from '../../data/api.ts'
import { flagDocumentQuery } from '../../data/queries.ts'
import { useFlag } from './here.ts'

/**
 * What a write by itself makes of a flag, as far as a draft has to know.
 *
 * @param now as it is after it
 * @returns what makes it of each step of a draft, which was made from a base
 */
export type Carried = (
  now: FlagDocument,
) => (flag: FlagDocument, base: FlagDocument) => FlagDocument

/** @returns what has an open draft go on from what the service has now, after a part was saved by itself */
export function useCarry(): (change: Carried) => void {
  const { namespace, flag, draft } = useFlag()
  return (change) => {
    const now = queryClient.getQueryData(flagDocumentQuery(namespace.key, flag.key).queryKey)
    if (now !== undefined) draft.rebase(now.value.flag, now.etag, change(now.value.flag))
  }
}
