import type { ChangeItem } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { LineDiff } from '../components/diff.tsx'
import { Segmented } from '../components/tabs.tsx'
import { componentTexts } from '../components/texts.ts'
import { useFormat, useTexts } from '../text/texts.ts'
import { nameOf, readDocument, yamlOf } from './documents.ts'
import { FieldList } from './field-list.tsx'
import { foldedDiff } from './folded-diff.ts'
import { historyPartTexts } from './texts.ts'

type View = 'sentences' | 'yaml'

// Sentences about rules are loaded when a change is looked at first.
const ItemSentences = lazy(() => import('./item-sentences.tsx'))

interface Props {
  readonly item: ChangeItem
  readonly namespaceKey: string
}

/** What became of an object: in sentences, or as the documents. */
export function ItemDiff({ item, namespaceKey }: Props) {
  const t = useTexts(historyPartTexts)
  const c = useTexts(componentTexts)
  const isUpdate = item.action === 'UPDATED_ACTION'
  const [view, setView] = useState<View>(isUpdate ? 'sentences' : 'yaml')
  const { type } = readDocument(item.after ?? item.before)
  const hasDocuments = item.before !== undefined || item.after !== undefined
  return (
    <div className="grid gap-3">
      {view === 'sentences' || !hasDocuments ? (
        <Suspense fallback={null}>
          <ItemSentences
            item={item}
            namespaceKey={namespaceKey}
            fallback={<FieldList changes={item.changes} isBoolean={type === 'BOOLEAN_FLAG_TYPE'} />}
          />
        </Suspense>
      ) : (
        <DocumentDiff item={item} />
      )}
      {hasDocuments && (
        <div>
          <Segmented
            label={t.view}
            value={view}
            choices={[
              ['sentences', c.asSentences],
              ['yaml', c.asYaml],
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
  const { data } = useQuery({
    queryKey: ['yaml', before, after],
    queryFn: () => Promise.all([yamlOf(before), yamlOf(after)]),
    gcTime: 0,
  })
  const diff = useMemo(() => {
    if (data === undefined) return undefined
    const tellFold = (count: number) => t.sameLines(count, number(count))
    return foldedDiff(data[0].trimEnd(), data[1].trimEnd(), tellFold)
  }, [data, t, number])
  if (diff === undefined) return null
  return (
    <div>
      <LineDiff lines={diff.lines} label={t.difference(nameOf(item))} />
      {diff.cut > 0 && <p className="mt-2 text-12 text-muted">{t.cutLines(number(diff.cut))}</p>}
    </div>
  )
}
