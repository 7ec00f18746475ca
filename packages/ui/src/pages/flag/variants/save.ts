import type { FlagDocument } from '@svc/client/api'
import { createElement } from 'react'
import { useDone } from '../../../app/done.tsx'
import { api } from '../../../data/api.ts'
import { failureOf } from '../../../data/errors.ts'
import { write } from '../../../data/writes.ts'
import { Rich } from '../../../text/rich.tsx'
import { useCarry } from '../carry.ts'
import { useFlag } from '../here.ts'
import { withVariantsOf } from './edits.ts'

/**
 * @returns what saves a flag whose variants were changed, with Undo. The tag is that of what was read: it fails
 *   with 412 when others have changed the flag since
 */
export function useSaveVariants(): (
  next: FlagDocument,
  etag: string | undefined,
  text: string,
) => Promise<void> {
  const { namespace, onRefused } = useFlag()
  const done = useDone()
  const carry = useCarry()
  return async (next, etag, text) => {
    const { key } = next
    const namespaceKey = namespace.key
    try {
      const { revision } = await write(namespaceKey, (options) =>
        api.documents.putFlag({ namespaceKey, key, flag: next }, { ...options, ifMatch: etag }),
      )
      carry(withVariantsOf)
      const onUndone = () => carry(withVariantsOf)
      done(createElement(Rich, { text }), { namespaceKey, revision, onUndone })
    } catch (error) {
      const { kind, message } = failureOf(error)
      if (kind === 'forbidden') onRefused(message)
      throw error
    }
  }
}
