import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { FilterButton } from '../components/filter-button.tsx'
import { Popover } from '../components/popover.tsx'
import { TextInput } from '../components/text-input.tsx'
import { usePreferences } from '../data/preferences.ts'
import { localeOf } from '../text/format.ts'
import { useTexts } from '../text/texts.ts'
import type { TimeRange } from './range-search.ts'
import { type HistoryPartTexts, historyPartTexts } from './texts.ts'
import { dayOf, rangeOf, type Span, startOf } from './time-range.ts'

const spans: readonly Span[] = ['today', 'yesterday', 'last7', 'last30']

interface Props {
  readonly range: TimeRange
  readonly onChange: (range: {
    readonly since: string | undefined
    readonly until: string | undefined
  }) => void
}

/** The days that a log is read for. */
export function TimeFilter({ range, onChange }: Props) {
  const t = useTexts(historyPartTexts)
  const { language } = usePreferences()
  const [isOpen, setOpen] = useState(false)
  const { since, until } = range
  const set = ({ since, until }: TimeRange) => onChange({ since, until })
  const day = (value: string) =>
    startOf(value).toLocaleDateString(localeOf(language), { dateStyle: 'medium' })
  const today = dayOf(new Date())
  return (
    <Popover
      label={t.time}
      isOpen={isOpen}
      onOpenChange={setOpen}
      className="grid w-64 gap-3"
      trigger={
        <FilterButton name={t.time} chosen={tellRange(range, day, t)} onClear={() => set({})} />
      }
    >
      <div className="flex flex-wrap gap-1.5">
        {spans.map((span) => (
          <Button
            key={span}
            size="small"
            onClick={() => {
              setOpen(false)
              set(rangeOf(span))
            }}
          >
            {t[span]}
          </Button>
        ))}
      </div>
      <Field label={t.since}>
        {(ids) => (
          <TextInput
            {...ids}
            type="date"
            max={until ?? today}
            value={since ?? ''}
            onChange={({ target }) => onChange({ since: target.value || undefined, until })}
          />
        )}
      </Field>
      <Field label={t.until}>
        {(ids) => (
          <TextInput
            {...ids}
            type="date"
            max={today}
            min={since}
            value={until ?? ''}
            onChange={({ target }) => onChange({ since, until: target.value || undefined })}
          />
        )}
      </Field>
    </Popover>
  )
}

function tellRange(
  { since, until }: TimeRange,
  day: (value: string) => string,
  t: HistoryPartTexts,
): string | undefined {
  if (since !== undefined && since === until) return t.onDay(day(since))
  if (since !== undefined && until !== undefined) return t.fromTo(day(since), day(until))
  if (since !== undefined) return t.sinceDay(day(since))
  return until === undefined ? undefined : t.untilDay(day(until))
}
