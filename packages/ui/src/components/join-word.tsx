import { useTexts } from '../text/texts.ts'
import { componentTexts } from './texts.ts'

interface Props {
  readonly isAll: boolean
  /** Turns the word of the whole rule. Without it the word can only be read. */
  readonly onTurn?: () => void
}

/** AND or OR between the parts of a rule: one word for all of it. */
export function JoinWord({ isAll, onTurn }: Props) {
  const t = useTexts(componentTexts)
  const look =
    'h-small rounded-1 bg-hover px-1.75 text-11 font-strong tracking-caps text-text inline-flex items-center'
  const word = isAll ? t.and : t.or
  if (onTurn === undefined) return <span className={look}>{word}</span>
  return (
    <button
      type="button"
      className={`${look} hover:bg-pressed`}
      aria-label={`${word}. ${isAll ? t.joinAll : t.joinAny}`}
      onClick={onTurn}
    >
      {word}
    </button>
  )
}
