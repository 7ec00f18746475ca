import { Note } from '../../components/note.tsx'
import { useTexts } from '../../text/texts.ts'
import { plannedTexts } from './texts.ts'
import type { usePlanned } from './use-planned.ts'

interface Props extends Pick<ReturnType<typeof usePlanned>, 'note'> {
  /** Why the service refuses it, when it was planned or applied. */
  readonly refusals: readonly (string | undefined)[]
}

/** What has become of an apply, and why it was refused. */
export function PlannedNotes({ note, refusals }: Props) {
  const t = useTexts(plannedTexts)
  const said = new Set(refusals.filter((one) => one !== undefined))
  return (
    <div aria-live="polite" className="grid gap-3 empty:hidden">
      {note !== undefined && <Note kind="attention">{t[note]}</Note>}
      {[...said].map((refusal) => (
        <Note key={refusal} kind="failure">
          <b>{t.refused}</b>
          <p className="wrap-anywhere">{refusal}</p>
        </Note>
      ))}
    </div>
  )
}
