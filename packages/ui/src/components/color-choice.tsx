import { Radio } from '@base-ui/react/radio'
import { RadioGroup } from '@base-ui/react/radio-group'
import { Check } from 'lucide-react'
import { useId } from 'react'
import { Icon } from './icon.tsx'
import { namespaceColors, namespaceStyle } from './tile.tsx'

interface Props {
  readonly label: string
  readonly value: string
  readonly names: Readonly<Record<string, string>>
  readonly onChange: (color: string) => void
}

/** One of the colours of the palette. */
export function ColorChoice({ label, value, names, onChange }: Props) {
  const id = useId()
  return (
    <div className="grid gap-1.5">
      <span id={id} className="text-13 font-medium">
        {label}
      </span>
      <RadioGroup
        value={value}
        aria-labelledby={id}
        className="flex flex-wrap gap-2"
        onValueChange={(color) => onChange(String(color))}
      >
        {namespaceColors.map((color) => (
          <Radio.Root
            key={color}
            value={color}
            aria-label={names[color]}
            title={names[color]}
            style={namespaceStyle({ key: color, color })}
            className="grid size-8 place-items-center rounded-2 bg-(--ns) text-v-label data-checked:ring-2 data-checked:ring-text data-checked:ring-offset-2 data-checked:ring-offset-raised"
          >
            <Radio.Indicator>
              <Icon of={Check} />
            </Radio.Indicator>
          </Radio.Root>
        ))}
      </RadioGroup>
    </div>
  )
}
