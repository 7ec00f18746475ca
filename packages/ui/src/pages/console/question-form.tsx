import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useOfflineReason } from '../../app/banner.tsx'
import { useShortcuts } from '../../app/shortcuts.ts'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Keys } from '../../components/keys.tsx'
import { flagDocumentQuery } from '../../data/queries.ts'
import type { Question } from '../../explain/asked.ts'
import { readContext } from '../../explain/context.ts'
import { ContextField } from '../../explain/context-field.tsx'
import { EntityField } from '../../explain/entity-field.tsx'
import { useTexts } from '../../text/texts.ts'
import { CopyAs } from './copy-as.tsx'
import { FlagChoice } from './flag-choice.tsx'
import { consoleTexts } from './texts.ts'

/** What is typed, before it is asked. */
export interface Draft extends Question {
  readonly flag: string | undefined
  readonly isAll: boolean
}

interface Props {
  readonly namespaceKey: string
  /** What the URL asks. */
  readonly asked: Draft
  readonly missing: readonly string[]
  readonly onAsk: (draft: Draft) => void
}

/** The question. It is asked by its button, by its shortcut, or by a choice of a flag. */
export function QuestionForm({ namespaceKey, asked, missing, onAsk }: Props) {
  const t = useTexts(consoleTexts)
  const offlineReason = useOfflineReason()
  const [draft, setDraft] = useState(asked)
  const [shown, setShown] = useState(asked)
  if (shown !== asked) {
    setShown(asked)
    setDraft(asked)
  }
  const { flag, entityId, context, isAll } = draft
  const known = readContext(context)
  const { data: stored } = useQuery({
    ...flagDocumentQuery(namespaceKey, flag ?? ''),
    enabled: flag !== undefined,
    retry: false,
  })
  const document = stored?.value.flag
  const reason =
    offlineReason ??
    (known === undefined
      ? t.wrongContext
      : flag === undefined && !isAll
        ? t.chooseFirst
        : undefined)
  const ask = (next: Draft) => {
    setDraft(next)
    if (offlineReason !== undefined || readContext(next.context) === undefined) return
    if (next.flag !== undefined || next.isAll) onAsk(next)
  }
  useShortcuts({ 'mod+Enter': () => ask(draft) })
  return (
    <form
      aria-label={t.question}
      className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        ask(draft)
      }}
    >
      <FlagChoice
        namespaceKey={namespaceKey}
        value={flag}
        name={document?.name}
        onChange={(key) => ask({ ...draft, flag: key, isAll: false })}
      />
      <EntityField
        value={entityId}
        onChange={(entityId) => setDraft((now) => ({ ...now, entityId }))}
      />
      <ContextField
        value={context}
        missing={missing}
        onChange={(context) => setDraft((now) => ({ ...now, context }))}
      />
      <Checkbox isChecked={isAll} onChange={(isAll) => setDraft((now) => ({ ...now, isAll }))}>
        {t.everyFlag}
      </Checkbox>
      <div className="flex gap-2">
        <Button
          type="submit"
          look="primary"
          className="flex-1!"
          disabledReason={reason}
          aria-keyshortcuts="Control+Enter Meta+Enter"
        >
          {t.evaluate}
          <Keys of="mod enter" onInk={reason === undefined} className="narrow:hidden" />
        </Button>
        {flag !== undefined && known !== undefined && (
          <CopyAs
            namespaceKey={namespaceKey}
            flag={flag}
            type={document?.type}
            entityId={entityId}
            context={known}
          />
        )}
      </div>
    </form>
  )
}
