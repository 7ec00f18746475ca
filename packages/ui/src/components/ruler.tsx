import { Slider } from '@base-ui/react/slider'
import clsx from 'clsx'
import { useFormat, useTexts } from '../text/texts.ts'
import type { Share } from './hue.ts'
import { componentTexts } from './texts.ts'

interface Props {
  /** From the left; what is left of 100 is the rest. */
  readonly shares: readonly Share[]
  /** What the rest is called. @default nothing */
  readonly rest?: string
  /** Where the entity is, 0 to 100. */
  readonly pin?: number | undefined
  /** Says all of it, for those who do not see it. */
  readonly sentence: string
  readonly isLow?: boolean
}

/** Shares on a scale of 0 to 100, to read. */
export function Ruler({ shares, rest, pin, sentence, isLow = false }: Props) {
  return (
    <div
      role="img"
      aria-label={sentence}
      className={clsx('relative pb-5.5', pin !== undefined && 'pt-6')}
    >
      <Track shares={shares} rest={rest} isLow={isLow} />
      {pin !== undefined && <Pin at={pin} />}
      <Ticks />
    </div>
  )
}

interface SetProps extends Omit<Props, 'sentence' | 'pin'> {
  readonly value: number
  /** Its name, such as `Share of rollout 2`. */
  readonly name: string
  readonly onChange: (value: number) => void
  readonly onDone?: (value: number) => void
}

/** A share that is set by its thumb; a {@link PercentField} beside it does the same. */
export function ShareRuler({
  value,
  name,
  onChange,
  onDone,
  shares,
  rest,
  isLow = false,
}: SetProps) {
  return (
    <Slider.Root
      value={value}
      min={0}
      max={100}
      step={1}
      largeStep={10}
      thumbAlignment="edge-client-only"
      onValueChange={(next) => onChange(Number(next))}
      onValueCommitted={(next) => onDone?.(Number(next))}
      className="relative pb-5.5"
    >
      <Slider.Control className="block touch-none select-none">
        <Slider.Track className="relative block">
          <Track shares={shares} rest={rest} isLow={isLow} />
          <Slider.Indicator className="hidden" />
          <Slider.Thumb
            getAriaLabel={() => name}
            className="h-9 w-3 cursor-ew-resize rounded-1 border-[1.5px] border-text bg-raised before:absolute before:inset-x-0.75 before:inset-y-2.5 before:border-x before:border-faint after:absolute after:-inset-2 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus"
          />
        </Slider.Track>
      </Slider.Control>
      <Ticks />
    </Slider.Root>
  )
}

interface TrackProps {
  readonly shares: readonly Share[]
  readonly rest: string | undefined
  readonly isLow: boolean
}

function Track({ shares, rest, isLow }: TrackProps) {
  const format = useFormat()
  const t = useTexts(componentTexts)
  const seen = shares.filter(({ percentage }) => percentage > 0)
  return (
    <span
      className={clsx('flex gap-0.5 overflow-hidden rounded-1 bg-hover', isLow ? 'h-3' : 'h-6.5')}
      aria-hidden="true"
    >
      {seen.map(({ name, hue, percentage, look, label }) => {
        const text = label ?? (look === undefined && t.shareOf(name, format.share(percentage)))
        return (
          <span
            key={`${name}${look ?? ''}`}
            data-hue={hue}
            data-look={look}
            className="hue-fill @container flex min-w-0.5 items-center overflow-hidden px-2 text-12 font-medium whitespace-nowrap text-v-label"
            style={{ flex: `0 0 ${percentage}%` }}
          >
            {!isLow && text && (
              <span
                className={clsx(
                  '-mx-1 truncate rounded-[2px] bg-(--fill) px-1',
                  look === 'taken' ? 'font-text text-muted' : hue === 'none' && 'text-text',
                  roomFor(text),
                )}
              >
                {text}
              </span>
            )}
          </span>
        )
      })}
      {!isLow && rest !== undefined && (
        <span className="@container flex min-w-0 flex-1 items-center overflow-hidden px-2 text-12 text-muted">
          <span className="truncate @max-[3.25rem]:hidden">{rest}</span>
        </span>
      )}
    </span>
  )
}

/** A text is left out where it would have to be cut. */
function roomFor(text: string): string {
  if (text.length <= 7) return '@max-[3.25rem]:hidden'
  return text.length <= 12 ? '@max-[5.25rem]:hidden' : '@max-[8.5rem]:hidden'
}

function Pin({ at }: { readonly at: number }) {
  const format = useFormat()
  return (
    <span
      className="absolute top-5 bottom-4.5 -ms-px w-0.5 bg-text"
      style={{ insetInlineStart: `${at}%` }}
      aria-hidden="true"
    >
      <span
        className="absolute bottom-[calc(100%+0.125rem)] rounded-1 bg-ink px-1.5 py-px text-11 font-medium whitespace-nowrap text-on-ink"
        // The label stays inside of the scale.
        style={{ insetInlineStart: '50%', translate: `${-Math.min(95, Math.max(5, at))}% 0` }}
      >
        {format.place(at)}
      </span>
    </span>
  )
}

const marks = [0, 25, 50, 75, 100]

function Ticks() {
  const format = useFormat()
  return (
    <span className="ticks absolute inset-x-0 bottom-0 h-4.5 text-11 text-faint" aria-hidden="true">
      {marks.map((mark) => (
        <span
          key={mark}
          className="absolute top-0.75"
          style={{ insetInlineStart: `${mark}%`, translate: `${-mark}% 0` }}
        >
          {format.number(mark)}
        </span>
      ))}
    </span>
  )
}
