import { Download } from 'lucide-react'
import { useState } from 'react'
import { useTexts } from '../text/texts.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-key.tsx'
import { Dialog } from './dialog.tsx'
import { download } from './download.ts'
import { Icon } from './icon.tsx'
import { componentTexts } from './texts.ts'

interface Props {
  /** The secret; nothing: the panel is closed. It is held here alone. */
  readonly secret: string | undefined
  readonly title: string
  /** The line of a `.env`, such as `SVC_TOKEN`. */
  readonly variable: string
  readonly fileName: string
  readonly children?: React.ReactNode
  readonly onClose: () => void
}

/** A secret that is shown once. Neither Escape nor a press outside closes it before it was taken along. */
export function SecretPanel({ secret, title, variable, fileName, children, onClose }: Props) {
  const t = useTexts(componentTexts)
  const [isTaken, setTaken] = useState(false)
  const [isWarned, setWarned] = useState(false)
  const close = () => {
    if (!isTaken && !isWarned) return setWarned(true)
    setTaken(false)
    setWarned(false)
    onClose()
  }
  return (
    <Dialog
      isOpen={secret !== undefined}
      isFirm={!isTaken}
      hasClose={isTaken}
      size="wide"
      title={title}
      onClose={close}
      footer={
        <>
          <Button
            className="me-auto"
            onClick={() => {
              download(fileName, `${variable}=${secret ?? ''}\n`)
              setTaken(true)
            }}
          >
            <Icon of={Download} />
            {t.secretDownload}
          </Button>
          {isWarned && !isTaken && (
            <span role="alert" className="text-12 text-draft">
              {t.notCopiedYet}
            </span>
          )}
          <Button look={isTaken ? 'primary' : 'secondary'} onClick={close}>
            {t.done}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <p className="text-13">{t.secretOnce}</p>
        <div className="flex overflow-hidden rounded-3 border-[1.5px] border-ink narrow:flex-col">
          <code className="min-w-0 flex-1 px-4 py-3 text-13 leading-normal break-all select-all">
            {secret}
          </code>
          <CopyButton
            text={secret ?? ''}
            look={isTaken ? 'quiet' : 'primary'}
            className="h-auto! min-w-28 rounded-none! narrow:min-h-11"
            onCopied={() => setTaken(true)}
          />
        </div>
        {children}
      </div>
    </Dialog>
  )
}
