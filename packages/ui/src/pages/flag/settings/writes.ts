import type { FlagDocument, OperationInput } from '@svc/client/api'
import { createElement } from 'react'
import { useDone } from '../../../app/done.tsx'
import { api, queryClient } from '../../../data/api.ts'
import { changeTags } from '../../../data/change-tags.ts'
import { failureOf, isConflict } from '../../../data/errors.ts'
import { apply } from '../../../data/flag-writes.ts'
import { personOfActor } from '../../../data/people.ts'
import { flagDocumentQuery } from '../../../data/queries.ts'
import type { Written } from '../../../data/writes.ts'
import { Rich } from '../../../text/rich.tsx'
import { useTexts } from '../../../text/texts.ts'
import { useCarry } from '../carry.ts'
import { useFlag } from '../here.ts'
import { flagTexts } from '../texts.ts'

type Operation = Pick<OperationInput, 'patch' | 'expect'>

/** Why a text was not saved. */
export interface Refusal {
  readonly reason: string
  /** What others have made of it since the edit began. */
  readonly theirs?: string
}

interface SaveParts {
  /** Answers with the reason when it is refused, such as that others have changed the same part. */
  readonly save: (operation: Operation, text: string) => Promise<string | undefined>
  /** @param opened what the text was when its edit began: the service has to have that still */
  readonly saveText: (
    part: 'name' | 'description',
    typed: string,
    opened: string,
    text: string,
  ) => Promise<Refusal | undefined>
  /** Those of others stay. @param opened the tags when the edit began */
  readonly saveTags: (
    opened: readonly string[],
    edited: readonly string[],
    text: string,
  ) => Promise<string | undefined>
}

/** @returns what saves a part of the flag at once, with Undo */
export function useSaveParts(): SaveParts {
  const t = useTexts(flagTexts)
  const { namespace, flag, onRefused } = useFlag()
  const done = useDone()
  const carry = useCarry()
  const id = { namespaceKey: namespace.key, key: flag.key }

  const finish = ({ revision }: Written<unknown>, text: string) => {
    carry(withWordsOf)
    done(createElement(Rich, { text }), {
      namespaceKey: id.namespaceKey,
      revision,
      onUndone: () => carry(withWordsOf),
    })
  }
  const reasonOf = (error: unknown) => {
    const { kind, message } = failureOf(error)
    if (kind === 'forbidden') onRefused(message)
    return message
  }
  const patch = (operation: Operation) =>
    apply(id.namespaceKey, [{ kind: 'FLAG_KIND', key: id.key, ...operation }])
  const run = async (call: () => Promise<Written<unknown>>, text: string) => {
    try {
      finish(await call(), text)
      return undefined
    } catch (error) {
      return reasonOf(error)
    }
  }
  return {
    save: (operation, text) => run(() => patch(operation), text),
    saveTags: (opened, edited, text) => run(() => changeTags(id, opened, edited), text),
    async saveText(part, typed, opened, text) {
      try {
        finish(await patch({ patch: { [part]: typed }, expect: { [part]: opened } }), text)
        return undefined
      } catch (error) {
        if (!isConflict(error)) return { reason: reasonOf(error) }
        const theirs = await readPart(id, part).catch(() => undefined)
        void queryClient.invalidateQueries(flagDocumentQuery(id.namespaceKey, id.key))
        if (theirs === undefined) return { reason: reasonOf(error) }
        // An answer that did not come may have saved it before.
        if (theirs.text === typed) return undefined
        return { reason: t.changedMeanwhile(theirs.name, theirs.text), theirs: theirs.text }
      }
    },
  }
}

/** What a text is now, and who has made it so; that is known to those who may read the log. */
async function readPart(id: { namespaceKey: string; key: string }, part: 'name' | 'description') {
  const { flag } = await api.documents.getFlag(id)
  const { changes } = await api.changes
    .list({ ...id, kind: 'FLAG_KIND', limit: 50 })
    .catch(() => ({ changes: [] }))
  const change = changes.find(({ items }) =>
    items.some((item) => item.key === id.key && item.changes.some(({ path }) => path === part)),
  )
  return { text: flag[part], name: change && personOfActor(change.actor)?.name }
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
