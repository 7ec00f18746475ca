import type { ChangeItem } from '@svc/client/api'
import { useMemo, useState } from 'react'
import { LineDiff } from '../components/diff.tsx'
import { Segmented } from '../components/tabs.tsx'
import { useFormat, useTexts } from '../text/texts.ts'
import { nameOf, prettyJson, readDocument } from './documents.ts'
import { FieldList } from './field-list.tsx'
import { foldedDiff } from './folded-diff.ts'
import { historyPartTexts } from './texts.ts'

type View = 'sentences' | 'json'

/** What became of an object: field by field, or the documents. */
export function ItemDiff({ item }: { readonly item: ChangeItem }) {
  const t = useTexts(historyPartTexts)
  const isUpdate = item.action === 'UPDATED_ACTION'
  const [view, setView] = useState<View>(isUpdate ? 'sentences' : 'json')
  const { type } = readDocument(item.after ?? item.before)
  const hasDocuments = item.before !== undefined || item.after !== undefined
  return (
    <div className="grid gap-3">
      {view === 'sentences' || !hasDocuments ? (
        <FieldList changes={item.changes} isBoolean={type === 'BOOLEAN_FLAG_TYPE'} />
      ) : (
        <DocumentDiff item={item} />
      )}
      {hasDocuments && (
        <div>
          <Segmented
            label={t.view}
            value={view}
            choices={[
              ['sentences', t.sentences],
              ['json', t.json],
            ]}
            onChange={setView}
          />
        </div>
      )}
    </div>
  )
}

function DocumentDiff({ item }: { readonly item: ChangeItem }) {
  const t = useTexts(historyPartTexts)
  const { number } = useFormat()
  const { before, after } = item
  const { lines, cut } = useMemo(() => {
    const tellFold = (count: number) => t.sameLines(count, number(count))
    return foldedDiff(prettyJson(before), prettyJson(after), tellFold)
  }, [before, after, t, number])
  return (
    <div>
      <LineDiff lines={lines} label={t.difference(nameOf(item))} />
      {cut > 0 && <p className="mt-2 text-12 text-muted">{t.cutLines(number(cut))}</p>}
    </div>
  )
}
