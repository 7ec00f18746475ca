import { Link } from '@tanstack/react-router'
import { Blend, Plus } from 'lucide-react'
import { type ReactElement, useRef } from 'react'
import { Button, buttonClass } from '../../../components/button.tsx'
import { Combobox } from '../../../components/combobox.tsx'
import { Icon } from '../../../components/icon.tsx'
import { JoinWord } from '../../../components/join-word.tsx'
import { SegmentChip } from '../../../components/segment-chip.tsx'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import type { Edits } from './edits.ts'
import { isForAll, type Step, segmentsOf, setSegments, turnOperator } from './steps.ts'
import { targetingTexts } from './texts.ts'

interface Props {
  readonly step: Step
  /** What it is called, such as `rollout 1`. */
  readonly name: string
  readonly fresh: ReadonlySet<string>
  readonly edits: Edits
}

/** The segments of a step, with AND or OR between them. */
export function SegmentsField({ step, name, fresh, edits: { edit } }: Props) {
  const t = useTexts(targetingTexts)
  const { namespace, segments, readOnlyReason } = useFlag()
  const keys = segmentsOf(step) ?? []
  const canEdit = readOnlyReason === undefined
  const adder = useRef<HTMLButtonElement>(null)
  const remove = (key: string) => {
    // The chip goes, and what had the focus with it.
    adder.current?.focus()
    const rest = keys.filter((one) => one !== key)
    edit((flag) => setSegments(flag, step.id, rest))
  }
  return (
    <>
      <span className="text-13 text-muted">{t.ifIn}</span>
      {keys.map((key, place) => (
        <span key={key} className="flex max-w-full min-w-0 items-center gap-1.5">
          {place > 0 && (
            <JoinWord
              isAll={isForAll(step)}
              {...(canEdit && { onTurn: () => edit((flag) => turnOperator(flag, step.id)) })}
            />
          )}
          <SegmentChip
            segmentKey={key}
            name={segments.nameOf(key)}
            state={
              segments.isMissing(key)
                ? 'missing'
                : segments.isForEveryone(key)
                  ? 'everyone'
                  : fresh.has(key)
                    ? 'new'
                    : 'usual'
            }
            link={(name) => (
              <Link
                to="/ns/$namespaceKey/segments/$segmentKey"
                params={{ namespaceKey: namespace.key, segmentKey: key }}
                className="hover:underline"
              >
                {name}
              </Link>
            )}
            {...(canEdit && {
              onRemove: () => remove(key),
            })}
          />
        </span>
      ))}
      <SegmentChoice
        without={keys}
        onChoose={(key) => edit((flag) => setSegments(flag, step.id, [...keys, key]))}
        trigger={
          <Button
            ref={adder}
            look="quiet"
            size="small"
            isIcon
            aria-label={t.addSegment(name)}
            disabledReason={readOnlyReason}
          >
            <Icon of={Plus} />
          </Button>
        }
      />
    </>
  )
}

interface ChoiceProps {
  readonly trigger: ReactElement<Record<string, unknown>>
  /** What it is for, as its button says. @default the segments */
  readonly label?: string
  /** Those that are not offered. */
  readonly without?: readonly string[]
  readonly onChoose: (key: string) => void
}

/** One of the segments of the namespace, found by typing. */
export function SegmentChoice({ trigger, label, without = [], onChoose }: ChoiceProps) {
  const t = useTexts(targetingTexts)
  const { namespace, segments } = useFlag()
  return (
    <Combobox
      trigger={trigger}
      label={label ?? t.segments}
      searchLabel={t.findSegment}
      value={undefined}
      isLoading={segments.isLoading}
      items={segments.all
        .filter(({ key }) => !without.includes(key))
        .map(({ key, name }) => ({
          value: key,
          text: name || key,
          detail: key,
          mark: <Icon of={Blend} className="text-muted" />,
        }))}
      onChange={onChoose}
      footer={(close) => (
        <Link
          to="/ns/$namespaceKey/segments"
          params={{ namespaceKey: namespace.key }}
          className={buttonClass({ look: 'quiet', size: 'small', isBlock: true })}
          onClick={close}
        >
          {segments.all.length === 0 && !segments.isLoading ? t.noSegments : t.toSegments}
        </Link>
      )}
    />
  )
}
