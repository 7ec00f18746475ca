import type { FlagList } from '@svc/client/api'
import { Link } from '@tanstack/react-router'
import type { PageNamespace } from '../../app/namespace.ts'
import { Badge } from '../../components/chip.tsx'
import { link } from '../../components/classes.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { segmentTexts } from './texts.ts'

/** Flags that are named; more are a link. */
export const maxNamed = 10

interface Props {
  readonly namespace: PageNamespace
  readonly segmentKey: string
  /** Nothing until it is known. */
  readonly flags: FlagList | undefined
}

/** The flags that have a rule or rollout for the segment. */
export function UsedBy({ namespace, segmentKey, flags }: Props) {
  const t = useTexts(segmentTexts)
  const { number } = useFormat()
  if (flags === undefined) return null
  const { totalCount } = flags
  if (totalCount === 0) {
    return (
      <section className="mt-8 grid gap-1">
        <h2>{t.notUsed}</h2>
        <p className="text-13 text-muted">{t.notUsedText}</p>
      </section>
    )
  }
  const more = totalCount - flags.flags.length
  return (
    <section className="mt-8 grid gap-3">
      <h2>{t.usedByTitle(totalCount, number(totalCount))}</h2>
      <ul className="divide-y divide-line rounded-3 border border-line bg-raised text-13">
        {flags.flags.map(({ key, name, type }) => (
          <li key={key} className="flex min-h-11 flex-wrap items-center gap-x-2 px-4 py-1.5">
            <Link
              to="/ns/$namespaceKey/flags/$flagKey"
              params={{ namespaceKey: namespace.key, flagKey: key }}
              className="min-w-0 flex-1 hover:underline hover:underline-offset-[0.2em]"
            >
              <b className="font-medium wrap-anywhere">{name || key}</b>{' '}
              <span className="font-mono text-12 wrap-anywhere text-muted">{key}</span>
            </Link>
            <Badge>{type === 'BOOLEAN_FLAG_TYPE' ? t.boolean : t.variant}</Badge>
          </li>
        ))}
      </ul>
      <p className="text-12 text-muted">
        {more > 0 && (
          <>
            <Link
              className={link}
              to="/ns/$namespaceKey/flags"
              params={{ namespaceKey: namespace.key }}
              search={{ segment: segmentKey }}
            >
              {t.more(number(more))}
            </Link>
            {'. '}
          </>
        )}
        {t.keepsIt}
      </p>
    </section>
  )
}
