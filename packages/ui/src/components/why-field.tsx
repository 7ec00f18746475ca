import { useTexts } from '../text/texts.ts'
import { Field } from './field.tsx'
import { TextInput } from './text-input.tsx'
import { componentTexts } from './texts.ts'

/** Characters of a comment: it may have 4,096 bytes, whatever the language. */
const maxLength = 1000

interface Props {
  readonly value: string
  readonly onChange: (comment: string) => void
  readonly help?: string
  readonly onEnter?: (() => void) | undefined
}

/** The comment of a change. */
export function WhyField({ value, onChange, help, onEnter }: Props) {
  const t = useTexts(componentTexts)
  return (
    <Field label={t.why} mark={t.whyMark} {...(help !== undefined && { help })}>
      {(ids) => (
        <TextInput
          {...ids}
          value={value}
          maxLength={maxLength}
          autoComplete="off"
          onChange={({ target }) => onChange(target.value)}
          onKeyDown={({ key }) => key === 'Enter' && onEnter?.()}
        />
      )}
    </Field>
  )
}
