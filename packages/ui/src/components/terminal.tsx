import clsx from 'clsx'
import { useTexts } from '../text/texts.ts'
import { CopyKey } from './copy-key.tsx'
import { componentTexts } from './texts.ts'

/** The command that does what the page does, to be copied. */
export function Terminal({
  command,
  className,
}: {
  readonly command: string
  readonly className?: string
}) {
  const t = useTexts(componentTexts)
  return (
    <div
      className={clsx(
        'grid min-w-0 grid-cols-[minmax(0,1fr)] justify-items-start gap-1.5',
        className,
      )}
    >
      <p className="text-12 text-muted">{t.terminal}</p>
      <CopyKey text={command} />
    </div>
  )
}
