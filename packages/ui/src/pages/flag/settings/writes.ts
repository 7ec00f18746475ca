import type { FlagDocument, OperationInput } from '@svc/client/api'
import { createElement } from 'react'
import { useDone } from '../../../app/done.tsx'
import { failureOf } from '../../../data/errors.ts'
import { apply } from '../../../data/flag-writes.ts'
import { Rich } from '../../../text/rich.tsx'
import { useCarry } from '../carry.ts'
import { useFlag } from '../here.ts'

type Operation = Pick<OperationInput, 'patch' | 'expect'>

/**
 * @returns what saves a part of the flag at once, with Undo. It answers with the reason when that is refused,
 *   such as that others have changed the same part.
 */
export function useSavePart(): (operation: Operation, text: string) => Promise<string | undefined> {
  const { namespace, flag, onRefused } = useFlag()
  const done = useDone()
  const carry = useCarry()
  return async (operation, text) => {
    try {
      const { revision } = await apply(namespace.key, [
        { kind: 'FLAG_KIND', key: flag.key, ...operation },
      ])
      carry(withWordsOf)
      done(createElement(Rich, { text }), {
        namespaceKey: namespace.key,
        revision,
        onUndone: () => carry(withWordsOf),
      })
      return undefined
    } catch (error) {
      const { kind, message } = failureOf(error)
      if (kind === 'forbidden') onRefused(message)
      return message
    }
  }
}

/** A draft with the name, the description and the metadata that the flag has now. */
function withWordsOf({ name, description, metadata }: FlagDocument) {
  return ({ metadata: _, ...flag }: FlagDocument): FlagDocument => ({
    ...flag,
    name,
    description,
    ...(metadata && { metadata }),
  })
}
