import type { FieldChange } from '@svc/client/api'
import { ChangeList, ChangeSentence } from '../components/diff.tsx'
import { useFormat, useTexts } from '../text/texts.ts'
import { tellField } from './fields.ts'
import { historyPartTexts } from './texts.ts'

interface Props {
  readonly changes: readonly FieldChange[]
  readonly isBoolean: boolean
}

/** Fields that are shown; the documents have all of them. */
const maxFields = 100

/** What was changed, field by field. */
export function FieldList({ changes, isBoolean }: Props) {
  const t = useTexts(historyPartTexts)
  const format = useFormat()
  if (changes.length === 0) return <p className="text-13 text-muted">{t.noDifference}</p>
  return (
    <>
      <ChangeList>
        {changes.slice(0, maxFields).map((change) => {
          const { kind, label, before, after } = tellField(change, { t, format, isBoolean })
          return (
            <ChangeSentence key={change.path} kind={kind}>
              <span className="text-muted">{label}: </span>
              {before !== undefined && <del>{before}</del>}
              {before !== undefined && after !== undefined && ' '}
              {after !== undefined && <ins>{after}</ins>}
            </ChangeSentence>
          )
        })}
      </ChangeList>
      {changes.length > maxFields && (
        <p className="mt-2 text-12 text-muted">
          {t.cutLines(format.number(changes.length - maxFields))}
        </p>
      )}
    </>
  )
}
