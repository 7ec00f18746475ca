import { SvcError } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { PageNamespace } from '../../app/namespace.ts'
import { PageError } from '../../app/page-error.tsx'
import { Code } from '../../components/code.tsx'
import { CopyKey } from '../../components/copy-key.tsx'
import { formatJson } from '../../components/json-editor/json.ts'
import { Note } from '../../components/note.tsx'
import { Bone, Waiting } from '../../components/skeleton.tsx'
import { Segmented } from '../../components/tabs.tsx'
import { flagDocumentQuery } from '../../data/queries.ts'
import type { AskedContext } from '../../explain/context.ts'
import { ExplanationView } from '../../explain/explanation-view.tsx'
import { explainTexts } from '../../explain/texts.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { explainQuery } from './asking.ts'
import { consoleTexts } from './texts.ts'

interface Props {
  readonly namespace: PageNamespace
  readonly flag: string
  readonly entityId: string
  readonly context: AskedContext
  readonly segmentNames: ReadonlyMap<string, string>
  readonly onAdd: (property: string) => void
}

/** What the service answers to the question of the URL, and the way to it. */
export function Answer({ namespace, flag, entityId, context, segmentNames, onAdd }: Props) {
  const t = useTexts(consoleTexts)
  const e = useTexts(explainTexts)
  const { number } = useFormat()
  const [form, setForm] = useState<'path' | 'json'>('path')
  const query = useQuery(explainQuery(namespace.key, flag, entityId, context))
  const { data: stored } = useQuery(flagDocumentQuery(namespace.key, flag))
  const { data, error } = query
  if (error !== null) {
    if (error instanceof SvcError && error.status === 404)
      return <Note kind="attention">{t.noSuchFlag(flag)}</Note>
    if (error instanceof SvcError && error.status === 400)
      return <Note kind="failure">{error.message}</Note>
    if (data === undefined)
      return <PageError isPage={false} error={error} reset={() => void query.refetch()} />
  }
  if (data === undefined) return <AnswerSkeleton />
  const { explanation, requestId } = data
  const params = { namespaceKey: namespace.key, flagKey: flag }
  const attachment = explanation.variant?.variantAttachment ?? ''
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
      <ExplanationView
        explanation={explanation}
        start={
          <span className="min-w-0 wrap-anywhere">
            {namespace.name}, <code>{flag}</code>
            {entityId !== '' && (
              <>
                , <code>{entityId}</code>
              </>
            )}
          </span>
        }
        segmentNames={segmentNames}
        variants={stored?.value.flag.variants.map(({ key }) => key) ?? []}
        preset={stored?.value.flag.variants.find((variant) => variant.default)?.key}
        onAdd={onAdd}
        stepLink={(place, children) => (
          <Link
            to="/ns/$namespaceKey/flags/$flagKey"
            params={params}
            hash={`rule-${place}`}
            className="font-medium hover:underline"
          >
            {children}
          </Link>
        )}
        segmentLink={(segmentKey, children) => (
          <Link
            to="/ns/$namespaceKey/segments/$segmentKey"
            params={{ namespaceKey: namespace.key, segmentKey }}
            className="hover:underline"
          >
            {children}
          </Link>
        )}
        actions={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-2 text-12 text-muted">
            {t.revision(number(explanation.revision))}
            <Segmented
              label={t.form}
              value={form}
              onChange={setForm}
              choices={[
                ['path', t.path],
                ['json', t.rawJson],
              ]}
            />
          </span>
        }
        {...(form === 'json' && {
          instead: (
            <Code
              text={JSON.stringify(explanation, null, 2)}
              label={t.answerJson}
              className="[&_pre]:max-h-[36rem]"
            />
          ),
        })}
      />
      {attachment !== '' && form === 'path' && (
        <div className="grid gap-1.5">
          <span className="text-13 font-medium">{e.attachment}</span>
          <Code text={formatJson(attachment)} label={e.attachment} className="[&_pre]:max-h-72" />
        </div>
      )}
      {requestId !== undefined && (
        <p className="flex flex-wrap items-center gap-2 text-12 text-muted">
          {t.request} <CopyKey text={requestId} />
        </p>
      )}
    </div>
  )
}

function AnswerSkeleton() {
  return (
    <Waiting>
      <div className="grid gap-4">
        <Bone width="w-72" className="h-5!" />
        <Bone width="w-96" />
        {[0, 1, 2].map((row) => (
          <div key={row} className="ms-9 h-11 rounded-3 border border-line bg-raised p-4">
            <Bone width="w-40" />
          </div>
        ))}
      </div>
    </Waiting>
  )
}
