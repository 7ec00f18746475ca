import clsx from 'clsx'
import { FileUp } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Note } from '../../components/note.tsx'
import { Terminal } from '../../components/terminal.tsx'
import { messageOf } from '../../data/errors.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { type FileOutcome, maxBytes, type ReadFile, readChosen } from './read-file.ts'
import { sizeText } from './size.ts'
import { filesTexts } from './texts.ts'

/** Mistakes that are shown. */
const maxProblems = 20

/** Takes files by a press or a drop, and says what is wrong in them. */
export function FileChooser({ onRead }: { readonly onRead: (file: ReadFile) => void }) {
  const t = useTexts(filesTexts)
  const { number } = useFormat()
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problems, setProblems] = useState<readonly string[]>([])
  const [failure, setFailure] = useState<string>()

  const take = async (list: FileList | null) => {
    const files = [...(list ?? [])]
    if (files.length === 0) return
    setBusy(true)
    setProblems([])
    setFailure(undefined)
    try {
      const outcome = await readChosen(files)
      show(outcome)
    } catch (error) {
      setFailure(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  const show = (outcome: FileOutcome) => {
    if (outcome.kind === 'too large') return setFailure(t.tooLarge(sizeText(maxBytes, number)))
    if (outcome.kind === 'wrong') return setProblems(outcome.problems)
    const isEmpty = outcome.file.namespaces.length === 0
    if (isEmpty) setFailure(t.nothingInIt)
    else onRead(outcome.file)
  }
  return (
    <div className="grid gap-5">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same by keyboard */}
      <div
        className={clsx(
          'grid justify-items-center gap-3 rounded-3 border-[1.5px] border-dashed px-6 py-14 text-center',
          isOver ? 'border-accent-mark bg-accent-soft' : 'border-line-strong bg-raised',
        )}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          void take(event.dataTransfer.files)
        }}
      >
        <Icon of={FileUp} className="text-muted" />
        <div>
          <p className="font-medium">{t.drop}</p>
          <p className="max-w-[46ch] text-13 text-balance text-muted">{t.dropHelp}</p>
        </div>
        <Button look="primary" isBusy={isBusy} onClick={() => input.current?.click()}>
          {t.choose}
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          accept=".yml,.yaml,.json"
          aria-label={t.choose}
          tabIndex={-1}
          className="sr-only"
          onChange={({ target }) => {
            void take(target.files)
            // The same file may be chosen again.
            target.value = ''
          }}
        />
      </div>
      <div aria-live="polite" className="grid gap-3 empty:hidden">
        {failure !== undefined && <Note kind="failure">{failure}</Note>}
        {problems.length > 0 && (
          <Note kind="failure">
            <b>{t.problems(problems.length, number(problems.length))}</b>
            <ul className="mt-1 grid gap-1 font-mono text-12">
              {problems.slice(0, maxProblems).map((problem) => (
                <li key={problem} className="wrap-anywhere">
                  {problem}
                </li>
              ))}
            </ul>
            {problems.length > maxProblems && (
              <p className="mt-1">{t.moreRows(number(problems.length - maxProblems))}</p>
            )}
          </Note>
        )}
      </div>
      <Terminal command="svc import flags.yml --dry-run" />
    </div>
  )
}
