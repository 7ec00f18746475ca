import type { Bucket, ConstraintFinding, SegmentFinding, Step } from '@svc/client/api'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { PathHeading, PathReason } from '../components/path.tsx'
import { Ruler } from '../components/ruler.tsx'
import { sentenceOf } from '../constraints/sentence.ts'
import { constraintTexts } from '../constraints/texts.ts'
import { bold, Rich } from '../text/rich.tsx'
import { useFormat, useTexts } from '../text/texts.ts'
import {
  bucketText,
  foundOf,
  gapText,
  isBeyond,
  isBoolean,
  needsText,
  percentOf,
  valueText,
  type Words,
} from './sentences.ts'
import { type ExplanationProps, hueFor } from './shown.tsx'

interface Props extends ExplanationProps {
  readonly words: Words
  readonly step: Step
}

/** What was found at a step: its segments with their constraints, and the place on the ruler. */
export function StepFindings({ step, ...props }: Props) {
  const { explanation, preset, words, isFolded = false } = props
  const { t } = words
  // Those who are not in the segments get no share.
  const bucket = step.verdict === 'NOT_MATCHED_VERDICT' ? undefined : step.bucket
  const isBucketLast = step.segments.length > 0
  const gap = isBoolean(explanation) ? undefined : gapText(step, preset, words)
  const hasNoSplit = !isBoolean(explanation) && step.bucket === undefined
  return (
    <>
      {step.segments.map((segment) => (
        <Segment key={segment.key} {...props} segment={segment} />
      ))}
      {bucket !== undefined && (
        <div className={isBucketLast ? 'border-t border-line' : undefined}>
          <BucketRuler
            {...props}
            bucket={bucket}
            gap={gap}
            isBeyond={isBeyond(step, explanation)}
            isHit={step.place === explanation.decidedBy && !isFolded}
          />
        </div>
      )}
      {hasNoSplit && <p className="border-t border-line px-4 py-2 text-muted">{t.noSplitHere}</p>}
    </>
  )
}

/** Values of a list that are named. */
const maxNamed = 12

/** Constraints that are shown at first: those that settled it. */
const maxShown = 8

function Segment({
  segment,
  words,
  segmentLink,
  onAdd,
}: Omit<Props, 'step'> & { readonly segment: SegmentFinding }) {
  const { t, format } = words
  const [isAll, setAll] = useState(false)
  const { key, exists, member, constraints } = segment
  const decisive = constraints.filter((one) => one.decisive)
  const isLong = constraints.length > maxShown
  const shown = isAll || !isLong ? constraints : decisive.slice(0, maxShown)
  const name = <b className="font-strong">{words.segmentName(key)}</b>
  return (
    <div className="not-first:border-t not-first:border-line">
      <PathHeading isMet={member}>
        {exists ? (segmentLink?.(key, name) ?? name) : name}
        <span className={exists ? 'text-muted' : 'text-draft'}>{needsText(segment, words)}</span>
      </PathHeading>
      {shown.length > 0 && (
        <div className="py-1">
          {shown.map((constraint, place) => (
            // Constraints have no other name than their place.
            <Constraint key={place} finding={constraint} words={words} onAdd={onAdd} />
          ))}
          {isLong && !isAll && (
            <div className="px-4 py-1">
              <Button size="small" onClick={() => setAll(true)}>
                {t.showAll(format.number(constraints.length))}
              </Button>
            </div>
          )}
        </div>
      )}
    </div>
  )
}

function Constraint({
  finding,
  words,
  onAdd,
}: {
  readonly finding: ConstraintFinding
  readonly words: Words
  readonly onAdd: Props['onAdd'] | undefined
}) {
  const constraintWords = useTexts(constraintTexts)
  const { property, operator, value } = sentenceOf(finding, constraintWords, useFormat(), maxNamed)
  const { text, actual, more } = foundOf(finding, words)
  const isEntity = finding.type === 'ENTITY_ID_COMPARISON_TYPE'
  const isAbsent = finding.cause === 'ABSENT_CAUSE'
  return (
    <PathReason
      isMet={finding.holds}
      isMinor={!finding.decisive}
      found={
        <span className="flex flex-wrap items-center gap-x-1.5 gap-y-1">
          <span className="min-w-0">
            {text}
            {actual !== undefined && (
              <>
                {' '}
                <code>{actual}</code>
              </>
            )}
            {more !== undefined && (actual === undefined ? `. ${more}` : `, ${more}`)}
          </span>
          {isAbsent && !finding.holds && onAdd !== undefined && (
            <Button
              size="small"
              aria-label={words.t.addToContext(finding.property)}
              onClick={() => onAdd(finding.property)}
            >
              {words.t.addIt}
            </Button>
          )}
        </span>
      }
    >
      {isEntity ? property : <code>{property}</code>} {operator}
      {value !== undefined && (
        <>
          {' '}
          <code>{value}</code>
        </>
      )}
    </PathReason>
  )
}

function BucketRuler({
  bucket,
  gap,
  isBeyond,
  isHit,
  explanation,
  variants,
  preset,
  words,
}: Omit<Props, 'step'> & {
  readonly bucket: Bucket
  readonly gap: string | undefined
  readonly isBeyond: boolean
  /** Whether it is told where the bucket comes from. */
  readonly isHit: boolean
}) {
  const { t } = words
  const shares = bucket.shares.map(({ serves, from, to }) => ({
    name: valueText(serves, explanation, words),
    hue: hueFor(serves, explanation, variants),
    percentage: percentOf(to - from, bucket),
  }))
  const rest = isBoolean(explanation)
    ? t.goOn
    : preset === undefined
      ? t.restNothing
      : t.rest(preset)
  return (
    <div className="grid gap-2 px-4 py-3">
      <Ruler
        shares={shares}
        rest={rest}
        pin={percentOf(bucket.place, bucket)}
        sentence={bucketText(bucket, explanation, words)}
      />
      {gap !== undefined && <p className={isBeyond ? 'text-draft' : 'text-muted'}>{gap}</p>}
      {isHit && (
        <p className="text-pretty text-muted wrap-anywhere">
          <Rich
            text={t.bucketHelp(
              bold(explanation.entityId || t.noEntityName),
              bold(explanation.flagKey),
            )}
          />{' '}
          {isBoolean(explanation) && t.raising}
        </p>
      )}
    </div>
  )
}
