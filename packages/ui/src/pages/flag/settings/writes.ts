import type { FlagDocument, OperationInput } from '@svc/client/api'
import { createElement } from 'react'
import { useDone } from '../../../app/done.tsx'
import type { PageNamespace } from '../../../app/namespace.ts'
import { messageOf } from '../../../data/errors.ts'
import { apply } from '../../../data/flag-writes.ts'
import { Rich } from '../../../text/rich.tsx'

type Operation = Pick<OperationInput, 'patch' | 'expect'>

/**
 * @returns what saves a part of a flag at once, with Undo. It answers with the reason when that is refused,
 *   such as that others have changed the same part.
 */
export function useSavePart(
  namespace: PageNamespace,
  { key }: Pick<FlagDocument, 'key'>,
): (operation: Operation, text: string) => Promise<string | undefined> {
  const done = useDone()
  return async (operation, text) => {
    try {
      const { revision } = await apply(namespace.key, [{ kind: 'FLAG_KIND', key, ...operation }])
      done(createElement(Rich, { text }), { namespaceKey: namespace.key, revision })
      return undefined
    } catch (error) {
      return messageOf(error)
    }
  }
}
