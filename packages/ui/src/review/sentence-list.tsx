import { ChangeList, ChangeSentence } from '../components/diff.tsx'
import { Marked } from './marked.tsx'
import type { Sentence } from './sentences.ts'

/** What a draft changes, or a change has changed. */
export function SentenceList({ sentences }: { readonly sentences: readonly Sentence[] }) {
  return (
    <ChangeList>
      {sentences.map(({ path, kind, titles, body, effects }) => (
        <ChangeSentence key={path} kind={kind}>
          {titles.map((title) => (
            <b key={title} className="block font-[550]">
              {title}
            </b>
          ))}
          {body !== undefined && (
            <p className="mt-0.5 text-muted">
              <Marked text={body} />
            </p>
          )}
          {effects.map(({ text, isAttention }) => (
            <p
              key={text}
              className={isAttention ? 'mt-1 text-12 text-draft' : 'mt-1 text-12 text-muted'}
            >
              {text}
            </p>
          ))}
        </ChangeSentence>
      ))}
    </ChangeList>
  )
}
