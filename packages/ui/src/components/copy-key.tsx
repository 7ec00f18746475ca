import clsx from 'clsx'
import { Check, Copy } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useTexts } from '../text/texts.ts'
import { Button, type ButtonProps } from './button.tsx'
import { copyText } from './clipboard.ts'
import { Icon } from './icon.tsx'
import { componentTexts } from './texts.ts'
import { showToast } from './toast.tsx'

/** How long it says that it was copied, in milliseconds. */
const copiedMs = 1500

/** @returns whether the text was copied a moment ago, and what copies it */
export function useCopy(
  text: string,
  onCopied?: () => void,
): readonly [isCopied: boolean, copy: () => void] {
  const t = useTexts(componentTexts)
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), copiedMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => {
    copyText(text).then(
      () => {
        setCopied(true)
        onCopied?.()
      },
      () => showToast(t.notCopied, { isFailure: true }),
    )
  }
  return [isCopied, copy]
}

/** @returns what copies a text and then says so in a toast, or that it was not copied */
export function useCopyToast(): (text: string, said: ReactNode) => void {
  const t = useTexts(componentTexts)
  return (text, said) => {
    copyText(text).then(
      () => showToast(said),
      () => showToast(t.notCopied, { isFailure: true }),
    )
  }
}

/** A key that is copied by a press. A long one is cut in the middle. */
export function CopyKey({ text }: { readonly text: string }) {
  const t = useTexts(componentTexts)
  const [isCopied, copy] = useCopy(text)
  return (
    <button
      type="button"
      className="inline-flex h-small max-w-full items-center gap-1.5 rounded-[0.3125rem] border border-line bg-sunken px-1.75 font-mono text-12 text-muted hover:border-line-strong hover:text-text"
      onClick={copy}
      aria-label={t.copy(text)}
    >
      <MiddleCut text={text} />
      <Icon of={isCopied ? Check : Copy} small />
      <span role="status" className="sr-only">
        {isCopied ? t.copied : ''}
      </span>
    </button>
  )
}

/** A text that is cut in the middle when there is too little room. */
export function MiddleCut({
  text,
  className,
}: {
  readonly text: string
  readonly className?: string
}) {
  const tail = text.length > 12 ? text.slice(-6) : ''
  return (
    <span className={clsx('flex min-w-0', className)} title={text}>
      <span className="overflow-hidden text-ellipsis whitespace-pre">
        {text.slice(0, text.length - tail.length)}
      </span>
      <span className="flex-none whitespace-pre">{tail}</span>
    </span>
  )
}

interface CopyButtonProps extends Omit<ButtonProps, 'onClick' | 'children'> {
  readonly text: string
  readonly label?: string
  readonly onCopied?: () => void
}

export function CopyButton({ text, label, onCopied, ...rest }: CopyButtonProps) {
  const t = useTexts(componentTexts)
  const [isCopied, copy] = useCopy(text, onCopied)
  return (
    <Button {...rest} onClick={copy}>
      <Icon of={isCopied ? Check : Copy} />
      {isCopied ? t.copied : (label ?? t.copyIt)}
      <span role="status" className="sr-only">
        {isCopied ? t.copied : ''}
      </span>
    </Button>
  )
}
