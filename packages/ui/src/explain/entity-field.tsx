import { Dices } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { TextInput } from '../components/text-input.tsx'
import { useTexts } from '../text/texts.ts'
import { randomEntity } from './asked.ts'
import { explainTexts } from './texts.ts'

interface Props {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Whom a flag is asked for. */
export function EntityField({ value, onChange }: Props) {
  const t = useTexts(explainTexts)
  return (
    <Field label={t.entity}>
      {(ids) => (
        <TextInput
          {...ids}
          isMono
          value={value}
          onChange={({ target }) => onChange(target.value)}
          placeholder="user-42"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          end={
            <Button
              look="quiet"
              size="small"
              isIcon
              aria-label={t.randomEntity}
              className="-me-1.5"
              onClick={() => onChange(randomEntity())}
            >
              <Icon of={Dices} />
            </Button>
          }
        />
      )}
    </Field>
  )
}
