import { Radio } from '@base-ui/react/radio'
import { RadioGroup } from '@base-ui/react/radio-group'
import { type ReactNode, useId } from 'react'

export interface CardChoice<Value> {
  readonly value: Value
  readonly title: string
  readonly badge?: ReactNode
  readonly children: ReactNode
}

interface Props<Value> {
  readonly label: string
  readonly value: Value
  readonly choices: readonly CardChoice<Value>[]
  readonly onChange: (value: Value) => void
}

/** One of two or three that have to be explained. */
export function ChoiceCards<Value extends string>({
  label,
  value,
  choices,
  onChange,
}: Props<Value>) {
  const id = useId()
  return (
    <div className="grid gap-1.5">
      <span id={id} className="text-13 font-medium">
        {label}
      </span>
      <RadioGroup
        value={value}
        aria-labelledby={id}
        onValueChange={(next) => onChange(next as Value)}
        className="grid grid-cols-2 gap-3 narrow:grid-cols-1"
      >
        {choices.map(({ value, title, badge, children }) => (
          // biome-ignore lint/a11y/noLabelWithoutControl: the radio inside is the control
          <label
            key={value}
            className="grid cursor-pointer grid-cols-[1rem_minmax(0,1fr)] content-start gap-x-2 rounded-3 border border-line p-4 hover:border-control has-data-checked:border-ink has-data-checked:ring-1 has-data-checked:ring-ink"
          >
            <Radio.Root
              value={value}
              className="mt-0.5 grid size-4 place-items-center rounded-full border-[1.5px] border-control bg-raised data-checked:border-ink data-checked:bg-ink"
            >
              <Radio.Indicator className="size-1.5 rounded-full bg-on-ink" />
            </Radio.Root>
            <span className="flex items-center gap-2">
              <span className="min-w-0 flex-1 font-medium">{title}</span>
              {badge}
            </span>
            <span className="col-start-2 mt-1 grid gap-3 text-12 text-muted">{children}</span>
          </label>
        ))}
      </RadioGroup>
    </div>
  )
}
