import type { Question } from '../../explain/asked.ts'
import { readContext } from '../../explain/context.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { consoleTexts } from './texts.ts'

interface Props {
  readonly recent: readonly Question[]
  readonly onChoose: (question: Question) => void
}

/** What was asked before in this tab. */
export function RecentQuestions({ recent, onChoose }: Props) {
  const t = useTexts(consoleTexts)
  const { number } = useFormat()
  if (recent.length === 0) return null
  const aboutContext = (context: string) => {
    const [first, ...others] = Object.entries(readContext(context) ?? {})
    if (first === undefined) return undefined
    const [property, value] = first
    const text = `${property} ${typeof value === 'string' ? value : JSON.stringify(value)}`
    return others.length === 0 ? text : t.more(text, number(others.length))
  }
  return (
    <section
      aria-label={t.askedLately}
      className="grid content-start gap-2 border-t border-line pt-4"
    >
      <span className="text-12 text-muted">{t.askedLately}</span>
      <ul className="flex flex-wrap gap-1.5">
        {recent.map((question) => (
          <li key={`${question.entityId} ${question.context}`} className="max-w-full">
            <button
              type="button"
              className="flex min-h-6.5 max-w-full items-baseline gap-1.5 rounded-[0.3125rem] border border-line-strong bg-raised px-2 py-0.5 text-12 hover:border-control hover:bg-hover touch:min-h-9"
              onClick={() => onChoose(question)}
            >
              <span className="min-w-0 truncate">{question.entityId || t.noEntity}</span>
              {aboutContext(question.context) !== undefined && (
                <span className="min-w-0 truncate text-muted">
                  {aboutContext(question.context)}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
