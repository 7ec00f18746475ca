import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useText } from '../text/text.ts'
import { Icon } from './icon.tsx'

/** How long it says that it was copied, in milliseconds. */
const copiedMs = 1500

/** @returns whether the text was copied a moment ago, and what copies it */
export function useCopy(text: string): readonly [isCopied: boolean, copy: () => void] {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), copiedMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => {},
    )
  }
  return [isCopied, copy]
}

export function CopyKey({ text }: { readonly text: string }) {
  const t = useText()
  const [isCopied, copy] = useCopy(text)
  return (
    <button type="button" className="key" onClick={copy} aria-label={t.common.copy(text)}>
      <span className="key-text">{text}</span>
      <Icon of={isCopied ? Check : Copy} small />
      <span role="status" className="vh">
        {isCopied ? t.common.copied : ''}
      </span>
    </button>
  )
}
