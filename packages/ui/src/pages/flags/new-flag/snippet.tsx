import { useTexts } from '../../../text/texts.ts'
import { newFlagTexts } from './texts.ts'

interface Props {
  readonly flagKey: string
  readonly type: 'boolean' | 'variant'
  readonly variant: string
}

/** The line that asks for the flag, by OpenFeature. */
export function Snippet({ flagKey, type, variant }: Props) {
  const t = useTexts(newFlagTexts)
  const call = type === 'boolean' ? 'getBooleanValue' : 'getStringValue'
  return (
    <figure className="min-w-0">
      <figcaption className="sr-only">{t.code}</figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        tabIndex={0}
        className="overflow-x-auto rounded-3 border border-line bg-sunken px-4 py-3 text-12 leading-[1.65]"
      >
        <span className="text-faint">{t.codeComment}</span>
        {'\n'}
        <span className="text-code-key">await</span> client.{call}(
        <span className="text-code-string">'{flagKey}'</span>,{' '}
        {type === 'boolean' ? (
          <span className="text-code-number">false</span>
        ) : (
          <span className="text-code-string">'{variant}'</span>
        )}
        , {'{ targetingKey: user.id }'})
      </pre>
    </figure>
  )
}
