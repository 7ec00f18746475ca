import { Doorway } from '../../app/doorway.tsx'
import { CopyButton } from '../../components/copy-key.tsx'
import { Note } from '../../components/note.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import { inGroups } from './link.ts'
import { cliLoginTexts } from './texts.ts'

interface Props {
  readonly code: string
  readonly expiresAt: string
}

/** The code of a machine without a browser. Who gets people to read it out gets what they may do. */
export function CodeToType({ code, expiresAt }: Props) {
  const t = useTexts(cliLoginTexts)
  const { timeOfDay } = useFormat()
  const typed = inGroups(code)
  return (
    <Doorway title={t.codeTitle}>
      <div className="grid gap-4">
        <Note kind="attention">
          <b>{t.codeWarning}</b>
        </Note>
        <output
          aria-label={t.codeLabel}
          className="rounded-3 border border-line bg-sunken px-4 py-3 text-center font-mono text-14 font-medium select-all"
        >
          {typed}
        </output>
        <div className="flex items-center justify-between gap-3">
          <p className="text-12 text-muted">{t.codeEnds(timeOfDay(Date.parse(expiresAt)))}</p>
          <CopyButton text={typed} />
        </div>
      </div>
    </Doorway>
  )
}
