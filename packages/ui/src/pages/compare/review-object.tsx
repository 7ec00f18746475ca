import { adoptIds, type PromotedObject, type Resolution } from '@svc/documents'
import { Pencil, Plus } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { constraintTexts } from '../../constraints/texts.ts'
import type { DocumentOf, Kind } from '../../review/documents.ts'
import { SentenceList } from '../../review/sentence-list.tsx'
import { sentencesOf } from '../../review/sentences.ts'
import { reviewTexts } from '../../review/texts.ts'
import { Rich } from '../../text/rich.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import type { Promotion } from './promotion.ts'
import { FlagServes, SegmentHolds } from './state.tsx'
import { compareTexts } from './texts.ts'

interface Props {
  readonly object: PromotedObject
  readonly promotion: Promotion
  readonly fromName: string
  readonly toName: string
  /** Whether a new flag is off, whatever it is in the source. */
  readonly isOff: boolean
  /** Of a segment: the flags that it comes along with, and others that change with it. */
  readonly neededBy: string
  readonly alsoUsedBy: string
  readonly onResolve: (resolution: Resolution) => void
}

/** What becomes of one flag or segment. */
export function ReviewObject(props: Props) {
  const { object, promotion, fromName, toName, isOff, neededBy, alsoUsedBy, onResolve } = props
  const t = useTexts(compareTexts)
  const { kind, key, verdict, document } = object
  const isNew = verdict === 'created'
  const name = `${kind === 'segment' ? `${t.segment} ` : ''}${document.name || key}`
  return (
    <li className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-3 py-4 first:pt-0">
      <Icon of={isNew ? Plus : Pencil} className="mt-0.5 text-muted" />
      <div className="grid min-w-0 gap-2 text-13">
        <h3 className="text-14 font-[550] wrap-anywhere">{name}</h3>
        {isNew && (
          <p>
            <ins>{kind === 'segment' ? t.newSegment : isOff ? t.newFlagOff : t.newFlag}</ins>{' '}
            {neededBy !== '' && t.neededBy(neededBy)}
          </p>
        )}
        {isNew && 'rollouts' in document && (
          <FlagServes flag={document} content={promotion.source} />
        )}
        {isNew && 'constraints' in document && <SegmentHolds segment={document} />}
        {verdict === 'kept' && (
          <p className="text-muted">
            <Rich text={t.kept(toName)} />
          </p>
        )}
        {(verdict === 'updated' || verdict === 'conflict') && (
          <Differences object={object} promotion={promotion} />
        )}
        {alsoUsedBy !== '' && <p className="text-12 text-draft">{t.alsoUsedBy(alsoUsedBy)}</p>}
        {verdict === 'conflict' && (
          <div className="grid gap-2 rounded-3 border border-draft-line bg-draft-soft px-4 py-3">
            <p>{t.conflict}</p>
            <div className="flex flex-wrap gap-2">
              <Button size="small" onClick={() => onResolve('ours')}>
                {t.ours(toName)}
              </Button>
              <Button size="small" onClick={() => onResolve('theirs')}>
                {t.theirs(fromName)}
              </Button>
            </div>
          </div>
        )}
      </div>
    </li>
  )
}

function Differences({ object, promotion }: Pick<Props, 'object' | 'promotion'>) {
  const t = useTexts(reviewTexts)
  const c = useTexts(constraintTexts)
  const format = useFormat()
  const { kind, key, document } = object
  const { target } = promotion
  const list = kind === 'flag' ? target.flags : target.segments
  const before = list.find((one) => one.key === key)
  if (before === undefined) return null
  const segments = [...promotion.source.segments, ...target.segments].map(({ key, name }) => ({
    key,
    name,
  }))
  // Both are of the kind.
  const after = adoptIds(kind, before as typeof document, document)
  const sentences = sentencesOf(
    kind as Kind,
    before as unknown as DocumentOf[Kind],
    after as unknown as DocumentOf[Kind],
    { t, c, format, segments },
  )
  return <SentenceList sentences={sentences} />
}
